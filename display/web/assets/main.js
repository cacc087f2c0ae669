// Puts the page together: messages come in from the stream, wishes go out by
// POST. The page draws from the newest view alone; events are only said aloud.

import { Board } from "./board.js";
import { Graph } from "./graph.js";
import { Hands } from "./hands.js";
import { $ } from "./model.js";
import { Panel } from "./panel.js";
import { Announcer } from "./say.js";
import { Stream } from "./stream.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Card} Card */

/** @type {Card|null} */
let card = null;
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
  hands.show(view, Boolean(card?.hands));
  board.show(view);
  panel.show(view);
  graph.show(view);
}

const stream = new Stream({
  stale: Number(document.documentElement.dataset.stale) || 40000,
  link: (link, silent) => panel.link(link, silent),
  message: (m) => {
    switch (m.type) {
      case "snapshot":
        card = m.data.card;
        newest = null;
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
