// What the server says, and small helpers that every part of the page needs.

/**
 * @typedef {"black"|"white"} Color
 * @typedef {object} Played  a line of the move list
 * @property {number} ply
 * @property {Color|""} by
 * @property {string} move  a square, "pass", or "set" for a position that was set
 * @property {number} flipped
 * @property {string[]|null} turned
 * @property {number} black @property {number} white
 * @property {string[]} [missed] @property {string[]} [extra] @property {string} [improper]
 * @property {string} [board]
 * @typedef {{main_ms: number, increment_ms: number, periods: number, period_ms: number}} Control
 * @typedef {{role: "viewer"|"player"|"arbiter", name: string, seat: Color|"", login: boolean, full: boolean, delay_s?: number}} You
 * @typedef {{code: string, severity: string, text: string, squares?: string[]}} Alert
 * @typedef {object} State  the state of the MQTT contract, as far as the page needs it
 * @property {number} seq
 * @property {string} ts  the wall clock @property {number} mono_ms  and the board's own one when this was written
 * @property {{mode: string, black_ms: number|null, white_ms: number|null, black_periods?: number, white_periods?: number, running: Color|"none", at: string|null, flagged: Color|"none"|"both"}|null} clock
 * @property {boolean} halted  whether the clocks stand until play goes on
 * @property {{ply: number, by: Color, missed: string[], extra: string[], improper: string|null, claimed: boolean}|null} objection
 * @property {string} profile
 * @property {string} variant
 * @property {"on"|"off"|"locked"} hints  whether moves may be suggested
 * @property {"idle"|"setup"|"playing"|"paused"|"over"} phase
 * @property {"to_move"|"in_progress"|"correcting"|null} step
 * @property {"black"|"white"|"none"} turn
 * @property {number} ply
 * @property {string} board  64 of -BW, a1 to h8: the record
 * @property {{black: number, white: number, empty: number}} score
 * @property {{move: string, by: Color, flipped: string[]}|null} last
 * @property {{move: string, by: Color, to_flip: string[], done: string[]}|null} pending
 * @property {{flip: string[], place: string[], remove: string[]}} guide
 * @property {{board: string, turn: Color}} start  where the game on record began
 * @property {string} transcript
 * @property {{black: number, white: number}|null} hand  discs left, where each has a stock
 * @property {{black: string, white: string}} players
 * @property {Result|null} result
 * @property {"winner"|"as_they_lie"} empties  to whom the empty squares count
 * @property {{asked: string[]}|null} counting  the time is up; of these squares it is not known what counts
 * @property {{active: boolean, code: string|null, squares: string[]}|null} problem
 *
 * @typedef {object} Result  black and white are the score that counts
 * @property {string} result
 * @property {number|null} black
 * @property {number|null} white
 * @property {"discs"|"with_empties"|"awarded"|null} [counts]  what it is
 * @property {{black: number, white: number}} discs  as they lie
 * @property {string} reason
 * @property {{by: string, board: string, differ: string[], record: {black: number, white: number}}} [time_up]
 *
 * @typedef {object} View
 * @property {State|null} state
 * @property {Played[]} moves
 * @property {string} sentence
 * @property {string} table  64 of -BW?, what lies on the table; "" if unknown
 * @property {string} start  64 of -BW, what the game that is played, or is to be, begins with
 * @property {Color|""} first  who begins it
 * @property {Record<string, string>|null} connections
 * @property {Alert[]|null} alerts
 * @property {boolean} auto_flip
 * @property {boolean} robot  whether the hands make the opponent's moves
 * @property {{kind: string, level: number, side: Color}|null} opponent  the player that is a program
 * @property {string[]|null} failed
 * @property {(number|null)[]|null} evals  Black's minus White's discs expected in the end, after each ply
 * @property {boolean} evaluating  whether the running game is evaluated
 * @property {{text: string, squares: string[]}|null} question  where a disc lies that is not seen
 * @property {number} now_ms  the board's own clock when this left it
 * @property {{text: string, shared: boolean, black: Control, white: Control}|null} timing
 * @property {boolean} press  whether moves are ended with a press of the clock
 * @property {boolean} claims  whether players may claim mistakes
 * @property {{by: Color|"", plies: number}|null} takeback  what a player asks the other one
 *
 * @typedef {object} Card
 * @property {string} board
 * @property {string} name
 * @property {boolean} simulated
 * @property {boolean} hands
 * @property {string[]|null} variants
 * @property {string[]|null} profiles
 * @property {Record<string, string>|null} clocks  how games are timed under each profile
 * @property {boolean} health @property {boolean} calibrate
 * @property {string} opponent  the program that the settings name as opponent, "" for none
 *
 * @typedef {{seq: number, jid: string, ply: number, type: string, data: any, replay: boolean}} GameEvent
 * @typedef {{status: string, code?: string, error?: string, seq?: number}} Reply
 */

/** The names of the 64 squares, a1 first: rank 1 is on top. */
export const SQUARES = Array.from({ length: 64 }, (_, i) => "abcdefgh"[i & 7] + ((i >> 3) + 1));

/** The number of a square. @param {string} name */
export const indexOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/** @param {string} word */
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** @param {Color} color @returns {Color} */
export const other = (color) => (color === "black" ? "white" : "black");

/** The element with an id that the page is known to have. @param {string} id */
export const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Makes an element; text is only ever text.
 * @param {string} tag @param {string} [name] class @param {string} [text]
 */
export function element(tag, name, text) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined) e.textContent = text;
  return e;
}

/**
 * Sends a request and returns the answer; what goes wrong on the way is an
 * answer too.
 * @param {string} path @param {object} body @returns {Promise<Reply>}
 */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(12000),
    });
    return await response.json();
  } catch {
    return { status: "error", error: "The board did not answer." };
  }
}

/** An id that no other press of a button has. */
export function newID() {
  // randomUUID does not exist on plain http in a local network.
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}
