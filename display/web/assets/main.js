// Puts the page together: messages come in from the stream, wishes go out by
// POST. The page draws from the newest view alone; events are only said aloud.

import { Board } from "./board.js";
import { Clocks } from "./clock.js";
import { Console } from "./console.js";
import { Graph } from "./graph.js";
import { Hands } from "./hands.js";
import { $ } from "./model.js";
import { Login } from "./login.js";
import { positionAfter } from "./past.js";
import { Panel } from "./panel.js";
import { Announcer } from "./say.js";
import { Stream } from "./stream.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Card} Card */

/** @type {Card|null} */
let card = null;
/** Who looks at the page. @type {import("./model.js").You|null} */
let you = null;
/** The newest event, to notice gaps. @type {{jid: string, seq: number}|null} */
let newest = null;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let fade;

const announcer = new Announcer();
const hands = new Hands(complain);
const panel = new Panel(complain);
const graph = new Graph();
const board = new Board({
  able: () => hands.present,
  activate: (square, wrong) => hands.activate(square, wrong),
  place: (square, wrong) => hands.place(square, wrong),
  turn: (square) => hands.turn(square),
  lift: (square) => hands.lift(square),
  slide: (from, to) => hands.slide(from, to),
  cancel: () => hands.setBreaking(false),
});

const clocks = new Clocks({
  say: (text) => announcer.say(text),
  press: (color) => panel.command("press", { color }, false),
});
const rulings = new Console({
  order: (name, args, seq) => panel.send(name, args, seq),
  clocks,
  board,
  say: (text) => announcer.say(text),
});
const login = new Login(() => stream.restart());

/** Shows the position after a line of the move list, or what lies there now. @param {number|null} line */
function look(line) {
  const view = panel.view;
  const move = view && line !== null ? view.moves[line] : undefined;
  if (view && line !== null && move && rulings.about(move.ply)) return;
  panel.choose(move ? line : null);
  if (!view || line === null || !move) {
    board.past(null);
    return;
  }
  const text = `After move ${move.ply}${move.move === "pass" ? `, ${move.by}'s pass` : ""}`;
  board.past({ board: positionAfter(view, line), last: move.move, text });
  announcer.say(`${text}: ${move.black} to ${move.white}.`);
}
panel.look = look;
$("board").addEventListener("now", () => look(null));
$("board").addEventListener("form", () => rulings.reach());

/** Tells the visitor why something did not happen. @param {string} text */
function complain(text) {
  const notice = $("notice");
  notice.textContent = text;
  notice.hidden = false;
  announcer.say(text);
  clearTimeout(fade);
  fade = setTimeout(() => (notice.hidden = true), 8000);
}

/** @param {View} view */
function show(view) {
  clocks.time.hear(view.now_ms);
  hands.show(view, Boolean(card?.hands) && you?.role !== "viewer");
  board.show(view);
  panel.show(view, you);
  clocks.show(view, you);
  rulings.update(view, you);
  graph.show(view);
}

const stream = new Stream({
  stale: Number(document.documentElement.dataset.stale) || 40000,
  link: (link, silent) => panel.link(link, silent),
  message: (m) => {
    switch (m.type) {
      case "snapshot":
        card = m.data.card;
        you = m.data.you ?? null;
        newest = null;
        clocks.time.hear(undefined, m.data.epoch);
        // Another tab may have passed on what it has had for a while.
        clocks.time.ask();
        if (you) login.show(you);
        panel.introduce(m.data.card);
        announcer.begin(m.data.view);
        show(m.data.view);
        board.light(m.data.leds);
        // From here on, what changes may be seen to move.
        requestAnimationFrame(() => requestAnimationFrame(() => document.body.classList.add("ready")));
        break;
      case "event":
        if (newest && newest.jid === m.data.jid && m.data.seq !== newest.seq + 1) stream.restart();
        newest = { jid: m.data.jid, seq: m.data.seq };
        announcer.event(m.data);
        break;
      case "view":
        announcer.show(m.data);
        show(m.data);
        break;
      case "leds":
        board.light(m.data);
        break;
    }
  },
});
stream.start();
