// Package archive stores events: the journal is what the board knows after the
// power has gone, and what MQTT, the page and the exports read from.
//
// It is not a queue with subscribers and it does not know what an event means:
// payloads are JSON objects with a sequence number, readers keep their own
// place. It never looks at a clock, and never decides that the game must wait:
// the Writer takes events without blocking and reports trouble.
//
// # Files
//
//	journal-<first seq, 20 digits>.log   records, about 4 MB each
//	journal-<…>.log.<offset>.damaged     a copy of bytes that could not be believed
//	meta                                 one record: journal id, boot counter, joins
//	acked                                one record: how far the outbox has come
//	games.db                             the archive of games, see below
//
// A record is length (uint32, little endian, of the JSON), CRC-32C (Castagnoli,
// uint32, little endian, of the JSON), JSON. Number n of a file holds event first+n,
// unless records before it are damaged: then it says its number itself, in its member
// seq.
//
// # What is promised
//
//   - Append returns nil only when the record, and for a new file its name, have
//     been synced. One sync for each event, two more when a file begins.
//   - A failed Append has changed nothing that readers or a later start can
//     take for an event that was announced, and can be repeated with the same
//     number.
//   - A number is never used for two contents.
//   - Whatever the last program was doing when it died, the journal opens and
//     every earlier record is there.
//   - Opening does not need to write. It counts the start and sets damage aside
//     when it can; a full or read-only disk does not stop a start, the first
//     Append reports it.
//
// # Why a failed sync is not repeated
//
// When fsync fails, Linux has already marked the pages clean: the next fsync
// succeeds without having written them. So the file is closed, opened again,
// cut to the last record that was synced, and the record is written anew, which
// makes every page that it touches dirty again. Earlier records lie only in
// pages that an earlier sync has brought to the disk.
//
// # Torn or damaged
//
// The last bytes of the last file are torn when they are what a write that
// never returned can leave: a record that stops before its end, or goes on as
// zeros from the border of a sector. Nobody was told about it, so it is cut off
// and its number is used again. Everything else that does not check, also a
// complete last record with a wrong checksum, is damage to something that may
// have been announced. It costs the records in which it is and no other: reading
// goes on with the next correct record. The damaged bytes are copied into a file of
// their own, Recovery.Holes says which numbers are missing, and these are never used
// again: the journal goes on behind a gap. FirstSeq lies behind the last gap, so a
// receiver that asks for the missing numbers is told that they are gone and takes the
// state instead.
//
// Whoever folds the records into a state has to look for gaps in their numbers. Each
// record says in which position it was written.
//
// # Retention
//
// A file is deleted when a new one begins, if it is acknowledged, more than
// 30 days older than the newest, and not among the newest 64 MB. Ages are
// differences of file times: a clock that is wrong for all of them deletes
// nothing. A board without an outbox has to acknowledge what it stores, or
// nothing is ever deleted.
//
// # The archive of games
//
// Games is an SQLite file beside the journal, for lists and searches. What it
// holds of the games of this board is computed from the journal and from
// nothing else. A game is taken out only when the journal says that its end was taken
// back, never because records of it are missing. Deleting it loses only what was imported, what retention has
// taken from the journal, and tournaments. The driver is modernc.org/sqlite: SQLite translated
// to Go, so that the program is still built without a C compiler for every Pi.
// It was compared with github.com/ncruces/go-sqlite3, which builds as well and
// adds 10 to 11 MB to the program, where this one adds 7.
//
// The tables of tournaments are in the same file (package tables). A game that
// belongs to a pairing enters its result there in the transaction that puts it
// into the archive, so that neither is there without the other, and both are
// computed from the journal again after a crash.
package archive
