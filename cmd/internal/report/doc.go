// Package report makes bug reports: one zip file with what somebody needs who
// looks into a strange game from afar, and nothing else. It says itself what is in
// it (README.txt).
//
// It is NOT a backup: of the journal it holds the end only, of the archive nothing.
//
// # What may be in it
//
// Only what is named here is put in, so that a setting that is added tomorrow stays
// out until somebody lets it in (settings.go). Of the settings there are words and
// numbers that the program itself knows; of texts that a user has made up (names,
// paths, commands, addresses, host names) only whether they are set. Of files there
// are the flight recordings and the journal. Lines of the log and texts of alerts
// are searched for every text of the settings that was kept out, and for the
// secrets that the settings point to; what is found is struck out, and so is every
// number of a computer other than this one.
//
// The recordings and the journal hold the names of the players and the orders that
// were given. README.txt says so. A secret that somebody has typed in the place of a
// name is overwritten there as well; the recordings replay all the same
// (flight.Redact).
package report
