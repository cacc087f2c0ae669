// How the game went: the difference in discs after every move, and what the
// built-in player thinks of it, as a small picture and on the bar beside the
// board.

import { $, capital } from "./model.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Color} Color */

/** A position of the game as the picture has it: discs Black is ahead by, now and, if known, in the end. */
/** @typedef {{ply: number, move: string, lead: number, expected: number|null}} Point */

export class Graph {
  constructor() {
    this.drawn = "";
  }

  /** @param {View} view */
  show(view) {
    const state = view.state;
    const phase = state?.phase ?? "";
    const running = phase === "playing" || phase === "paused";
    // The board does not send what may not be seen; nor is it shown.
    const evals = !running || (state?.hints === "on" && view.evaluating) ? (view.evals ?? []) : [];
    const points = read(view, evals);
    const last = points[points.length - 1];
    $("evaluate").hidden = !running || state?.hints !== "on";
    $("evaluate").setAttribute("aria-checked", String(Boolean(view.evaluating)));
    $("graph").hidden = points.length < 2;
    this.bar(running || phase === "over" ? points : [], state?.variant === "reverse");
    const length = 64 - (state?.start?.board ?? "").replaceAll("-", "").length;
    const text = JSON.stringify([points, length, evals.length, running]);
    if (!last || text === this.drawn) return;
    this.drawn = text;
    this.draw(points, Math.max(length, last.ply));
    $("lead").textContent = ahead(last.lead);
    $("expected-row").hidden = evals.length === 0;
    // The end of a game that is over is no expectation.
    const open = running ? last.expected === null : points.some((p) => p.expected === null);
    $("expected").textContent = open ? "thinking…" : running ? ahead(last.expected ?? 0) : "";
  }

  /** @param {Point[]} points @param {number} length of the longest game */
  draw(points, length) {
    const known = points.filter((p) => p.expected !== null);
    const most = Math.max(...points.map((p) => Math.abs(p.lead)), ...known.map((p) => Math.abs(p.expected ?? 0)));
    // Whole steps: the picture keeps its scale for many moves.
    const top = [8, 12, 16, 24, 32, 48, 64].find((n) => n >= most) ?? 64;
    const plot = $("plot");
    // One unit is a move across and a disc up.
    plot.setAttribute("viewBox", `0 ${-top * 1.08} ${length + 1} ${top * 2.16}`);
    const last = points[points.length - 1];
    const line = known.map((p, i) => `${i && known[i - 1].ply === p.ply - 1 ? "L" : "M"}${p.ply + 0.5} ${-(p.expected ?? 0)}h0`).join("");
    plot.replaceChildren(
      path("half", `M0 ${-top / 2}H${length + 1}M0 ${top / 2}H${length + 1}`),
      path("columns black", columns(points, 1)),
      path("columns white", columns(points, -1)),
      path("zero", `M0 0H${length + 1}`),
      path("halo", line),
      path("line", line),
      path("dot rim", `M${last.ply + 0.5} ${-last.lead}h0`),
      path("dot", `M${last.ply + 0.5} ${-last.lead}h0`),
      ...points.map((p) => hover(p, top)),
    );
    plot.setAttribute("aria-label", describe(points));
    $("top").textContent = `Black +${top}`;
    $("bottom").textContent = `White +${top}`;
  }

  /**
   * The bar shows the newest position that is known: while the next one is
   * looked at it stays.
   * @param {Point[]} points @param {boolean} fewest discs win
   */
  bar(points, fewest) {
    const newest = points.findLast((p) => p.expected !== null);
    const bar = $("bar");
    bar.hidden = !newest;
    if (!newest) return;
    const margin = newest.expected ?? 0;
    const good = fewest ? -margin : margin;
    // Near the middle a disc is more than far from it.
    bar.style.setProperty("--black", `${(50 + 50 * Math.tanh(good / 24)).toFixed(1)}%`);
    bar.setAttribute("aria-valuenow", String(good));
    bar.setAttribute("aria-valuetext", good === 0 ? "Even" : `${good > 0 ? "Black" : "White"} is ahead by ${Math.abs(good)} ${discs(good)}`);
    bar.title = bar.getAttribute("aria-valuetext") ?? "";
    $("bar-black").textContent = good > 0 ? `+${good}` : good === 0 ? "=" : "";
    $("bar-white").textContent = good < 0 ? `+${-good}` : "";
  }
}

/** @param {View} view @param {(number|null)[]} evals @returns {Point[]} */
function read(view, evals) {
  const start = view.state?.start?.board ?? "";
  const count = (/** @type {string} */ c) => start.split(c).length - 1;
  /** @type {Point[]} */
  const points = [{ ply: 0, move: "start", lead: count("B") - count("W"), expected: evals[0] ?? null }];
  for (const m of view.moves) {
    if (m.move !== "pass" && m.move !== "set") points.push({ ply: m.ply, move: m.move, lead: m.black - m.white, expected: evals[m.ply] ?? null });
  }
  return points;
}

/** The columns of one color, upwards for Black. @param {Point[]} points @param {number} sign */
function columns(points, sign) {
  return points
    .filter((p) => p.lead * sign > 0)
    .map((p) => `M${p.ply + 0.12} 0v${-p.lead}h.76V0z`)
    .join("");
}

/** An element of a picture. @param {string} tag */
const svg = (tag) => document.createElementNS($("plot").namespaceURI, tag);

/** @param {string} name @param {string} d */
function path(name, d) {
  const e = svg("path");
  e.setAttribute("class", name);
  e.setAttribute("d", d);
  return e;
}

/** Where the pointer learns the numbers of a move. @param {Point} p @param {number} top */
function hover(p, top) {
  const e = path("hover", `M${p.ply} ${-top * 1.08}h1v${top * 2.16}h-1z`);
  const title = svg("title");
  title.textContent = `${p.ply ? `${p.ply}. ` : ""}${p.move}: ${ahead(p.lead)}${p.expected === null ? "" : `, expected in the end ${ahead(p.expected)}`}`;
  e.append(title);
  return e;
}

/** @param {number} n */
const discs = (n) => (Math.abs(n) === 1 ? "disc" : "discs");

/** @param {number} lead */
const ahead = (lead) => (lead === 0 ? "even" : `${lead > 0 ? "Black" : "White"} +${Math.abs(lead)}`);

/** The picture in words. @param {Point[]} points */
function describe(points) {
  const last = points[points.length - 1];
  const words = [`Difference in discs after each of ${last.ply} moves: ${ahead(last.lead)} now`];
  for (const [color, sign] of /** @type {[Color, number][]} */ ([["black", 1], ["white", -1]])) {
    const most = points.reduce((a, b) => (b.lead * sign > a.lead * sign ? b : a));
    if (most.lead * sign > 0) words.push(`${capital(color)} was ahead most after move ${most.ply}, by ${Math.abs(most.lead)}`);
  }
  if (last.expected !== null) words.push(`Expected in the end: ${ahead(last.expected)}`);
  return words.join(". ") + ".";
}
