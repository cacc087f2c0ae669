// Positions of the game on record: after every line of the move list.

/** @typedef {import("./model.js").View} View */

import { indexOf } from "./model.js";

/**
 * The 64 squares after line n of the move list, those of the start for -1.
 * @param {View} view @param {number} n
 */
export function positionAfter(view, n) {
  const squares = [...(view.state?.start?.board ?? "-".repeat(64))];
  for (const m of view.moves.slice(0, n + 1)) {
    if (m.move === "set") {
      squares.splice(0, 64, ...(m.board ?? ""));
    } else if (m.move !== "pass") {
      for (const s of m.turned ?? []) squares[indexOf(s)] = squares[indexOf(s)] === "B" ? "W" : "B";
      squares[indexOf(m.move)] = (m.by === "black") !== (m.improper === "wrong_color") ? "B" : "W";
    }
  }
  return squares.join("");
}

/**
 * The line after which so many discs have been placed: the last one, so that
 * passes and rulings belong to it; -1 for the start.
 * @param {View} view @param {number} ply
 */
export const lineOfPly = (view, ply) => view.moves.findLastIndex((m) => m.ply === ply);

/**
 * The squares whose discs are not what the rules would have made of them, with the
 * number of the move to blame. A disc that was turned since is another matter.
 * @param {View} view @returns {Map<string, {ply: number, missed: boolean}>}
 */
export function astray(view) {
  /** @type {Map<string, {ply: number, missed: boolean}>} */
  const found = new Map();
  for (const m of view.moves) {
    if (m.move === "set") found.clear();
    for (const s of m.turned ?? []) found.delete(s);
    for (const s of m.missed ?? []) found.set(s, { ply: m.ply, missed: true });
    for (const s of m.extra ?? []) found.set(s, { ply: m.ply, missed: false });
  }
  return found;
}

/** What is wrong with a move, in a few words; "" for nothing. @param {import("./model.js").Played} m */
export function wrongWith(m) {
  const improper = { no_flip: "turns nothing", off_center: "not in the middle", wrong_color: "wrong color up", occupied: "occupied" }[m.improper ?? ""];
  return [
    m.missed?.length ? `not turned: ${m.missed.join(" ")}` : "",
    m.extra?.length ? `turned too: ${m.extra.join(" ")}` : "",
    m.improper ? `no move: ${improper ?? m.improper}` : "",
  ]
    .filter(Boolean)
    .join("; ");
}
