package tables

// Schema makes the tables if they are not there.
const Schema = `
CREATE TABLE IF NOT EXISTS tournaments (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, day TEXT NOT NULL, place TEXT NOT NULL,
	system TEXT NOT NULL, rounds INTEGER NOT NULL,
	variant TEXT NOT NULL, profile TEXT NOT NULL, clock TEXT NOT NULL,
	goal TEXT NOT NULL CHECK (goal IN ('most', 'fewest')), as_they_lie INTEGER NOT NULL,
	breaks TEXT NOT NULL, factor INTEGER NOT NULL, colors TEXT NOT NULL, seed TEXT NOT NULL,
	created TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS tournament_players (
	tournament TEXT NOT NULL REFERENCES tournaments (id) ON DELETE CASCADE, number INTEGER NOT NULL CHECK (number > 0),
	name TEXT NOT NULL, club TEXT NOT NULL, rating INTEGER NOT NULL, lot INTEGER NOT NULL, withdrawn INTEGER NOT NULL,
	PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tournament_byes (
	tournament TEXT NOT NULL, round INTEGER NOT NULL, player INTEGER NOT NULL,
	PRIMARY KEY (tournament, round, player),
	FOREIGN KEY (tournament, player) REFERENCES tournament_players (tournament, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tournament_ends (
	tournament TEXT PRIMARY KEY REFERENCES tournaments (id) ON DELETE CASCADE, round INTEGER NOT NULL CHECK (round > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pairings (
	id TEXT PRIMARY KEY,
	tournament TEXT NOT NULL REFERENCES tournaments (id) ON DELETE CASCADE,
	round INTEGER NOT NULL CHECK (round > 0), seat INTEGER NOT NULL CHECK (seat >= 0),
	black INTEGER NOT NULL CHECK (black > 0), white INTEGER NOT NULL CHECK (white >= 0 AND white <> black),
	colors_by TEXT NOT NULL,
	UNIQUE (tournament, round, black)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pairings_round ON pairings (tournament, round, seat);
CREATE TABLE IF NOT EXISTS results (
	pairing TEXT PRIMARY KEY REFERENCES pairings (id) ON DELETE CASCADE,
	winner TEXT NOT NULL CHECK (winner IN ('black', 'white', 'draw', 'none')),
	black_discs INTEGER NOT NULL, white_discs INTEGER NOT NULL,
	black_score INTEGER NOT NULL, white_score INTEGER NOT NULL,
	reason TEXT NOT NULL, note TEXT NOT NULL, game TEXT NOT NULL, board TEXT NOT NULL,
	entered TEXT NOT NULL CHECK (entered IN ('board', 'hand')), at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reports (
	game TEXT PRIMARY KEY, pairing TEXT NOT NULL REFERENCES pairings (id) ON DELETE CASCADE, board TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('running', 'over', 'aborted')), winner TEXT NOT NULL,
	black_discs INTEGER NOT NULL, white_discs INTEGER NOT NULL,
	black_score INTEGER NOT NULL, white_score INTEGER NOT NULL,
	reason TEXT NOT NULL, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reports_pairing ON reports (pairing);
CREATE TABLE IF NOT EXISTS changes (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	tournament TEXT NOT NULL REFERENCES tournaments (id) ON DELETE CASCADE,
	round INTEGER NOT NULL, seat INTEGER NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL,
	what TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS changes_tournament ON changes (tournament, id);
CREATE TABLE IF NOT EXISTS boards (jid TEXT PRIMARY KEY, board TEXT NOT NULL) STRICT, WITHOUT ROWID;
`
