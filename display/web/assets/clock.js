// The clocks beside the players: counted on from what the board says, never from
// when the page was opened or something last happened.

import { $, capital } from "./model.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Color} Color @typedef {import("./model.js").You} You */

/** From when on a clock is called short of time, in ms. */
const LOW = 30000;

/** What is said aloud when a clock that runs comes down to it. */
const SAID = [
  [60000, "one minute"],
  [30000, "30 seconds"],
  [10000, "10 seconds"],
];

/** How much the clocks of computers drift apart at most, per ms. */
const DRIFT = 0.0002;

/**
 * What a clock shows: rounded up, tenths below ten seconds, so that only a fallen
 * flag shows zero.
 * @param {number} ms @param {boolean} down
 */
export function clockText(ms, down) {
  if (down) return "0:00";
  const left = Math.max(ms, 1);
  if (left <= 9900) return (Math.ceil(left / 100) / 10).toFixed(1);
  const s = Math.ceil(left / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** A time in words. @param {number} ms */
export function clockWords(ms) {
  const s = Math.ceil(Math.max(ms, 0) / 1000);
  const part = (/** @type {number} */ n, /** @type {string} */ unit) => (n ? `${n} ${unit}${n === 1 ? "" : "s"}` : "");
  return [part(Math.floor(s / 3600), "hour"), part(Math.floor(s / 60) % 60, "minute"), part(s % 60, "second")].filter(Boolean).join(" ") || "no time";
}

/** The board's own clock, as well as this page knows it. */
export class BoardTime {
  constructor() {
    this.epoch = "";
    /** The board's time minus this page's; null before anything was heard. @type {number|null} */
    this.ahead = null;
    this.heard = 0;
    this.wall = Date.now();
    this.page = performance.now();
  }

  /**
   * Learns what the board's clock said when a message left it. One that was long
   * on its way says too little, so the most that was heard counts.
   * @param {number|undefined} now ms @param {string} [epoch]
   */
  hear(now, epoch) {
    if (epoch !== undefined && epoch !== this.epoch) {
      this.epoch = epoch;
      this.ahead = null;
    }
    if (typeof now !== "number") return;
    const page = performance.now();
    const ahead = now - page;
    const kept = this.ahead === null ? ahead : this.ahead - DRIFT * (page - this.heard);
    this.ahead = Math.max(ahead, kept);
    this.heard = page;
  }

  /** What the board's clock says now. */
  now() {
    return performance.now() + (this.ahead ?? 0);
  }

  /** Asks the board: after a sleep, in which a page may count nothing. */
  async ask() {
    try {
      const response = await fetch("/api/v1/time", { cache: "no-store" });
      const { now_ms, epoch } = await response.json();
      if (epoch === this.epoch) this.hear(now_ms);
    } catch {
      // The stream will say that the board is gone.
    }
  }

  /** Whether the computer has slept since this was last asked. */
  slept() {
    const wall = Date.now();
    const page = performance.now();
    const gone = wall - this.wall - (page - this.page);
    this.wall = wall;
    this.page = page;
    return Math.abs(gone) > 700;
  }
}

export class Clocks {
  /** @param {{say: (text: string) => void, press: (color: Color) => void}} o */
  constructor(o) {
    this.o = o;
    this.time = new BoardTime();
    /** @type {View|null} */
    this.view = null;
    /** @type {You|null} */
    this.you = null;
    /** What was left when it was last looked at, by color. @type {Record<string, number>} */
    this.last = {};
    for (const color of /** @type {Color[]} */ (["black", "white"])) {
      $(`press-${color}`).addEventListener("click", (e) => {
        // The space bar is for whose clock runs, not for the button clicked last.
        if (e.detail > 0) $(`press-${color}`).blur();
        this.press(color);
      });
    }
    addEventListener("keydown", (e) => this.key(e));
    const wake = () => {
      if (document.hidden) return;
      this.tick();
      this.time.ask().then(() => this.tick());
    };
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", wake);
    setInterval(() => {
      if (this.time.slept()) wake();
      if (!document.hidden) this.tick();
    }, 100);
  }

  /** @param {View} view @param {You|null} you */
  show(view, you) {
    const state = view.state;
    if (state?.clock?.running !== this.view?.state?.clock?.running || state?.seq !== this.view?.state?.seq) this.last = {};
    this.view = view;
    this.you = you;
    const on = this.on();
    const shared = on && Boolean(view.timing?.shared);
    document.body.classList.toggle("timed", on);
    $("clock-shared").hidden = !shared;
    for (const color of /** @type {Color[]} */ (["black", "white"])) {
      $(`clock-${color}`).hidden = !on || shared || !this.timed(color);
      $(`press-${color}`).hidden = !this.mayPress(color);
    }
    this.tick();
  }

  on() {
    const clock = this.view?.state?.clock;
    return Boolean(clock && clock.mode !== "none");
  }

  /** Whether a color has a clock of its own. @param {Color} color */
  timed(color) {
    return typeof this.view?.state?.clock?.[`${color}_ms`] === "number";
  }

  /** Whether a color's clock counts down now. @param {Color} color */
  runs(color) {
    const running = this.view?.state?.clock?.running ?? "none";
    return running === color || (running !== "none" && Boolean(this.view?.timing?.shared));
  }

  /** What a color has left until its flag falls, in ms. @param {Color} color */
  left(color) {
    const state = this.view?.state;
    const clock = state?.clock;
    const given = clock?.[`${color}_ms`];
    if (!state || !clock || typeof given !== "number") return 0;
    if (!this.runs(color) || !clock.at || given <= 0) return given;
    // Both times of the board in one state say when its clocks were touched last.
    const at = state.mono_ms - (Date.parse(state.ts) - Date.parse(clock.at));
    return Math.max(given - Math.max(this.time.now() - at, 0), 0);
  }

  /** Whether the flag of a color is down. @param {Color} color */
  down(color) {
    const clock = this.view?.state?.clock;
    return clock?.flagged === color || clock?.flagged === "both" || clock?.[`${color}_ms`] === 0;
  }

  /**
   * What a color's clock shows: its main time, or the rest of a period.
   * @param {Color} color
   */
  shown(color) {
    const total = this.left(color);
    const shared = this.view?.timing?.shared;
    const control = this.view?.timing?.[shared ? "black" : color];
    const given = this.view?.state?.clock?.[`${color}_periods`] ?? 0;
    const length = control?.period_ms ?? 0;
    if (!given || !length) return { left: total, periods: 0, length: 0, period: false };
    const main = total - given * length;
    if (main > 0) return { left: main, periods: given, length, period: false };
    const periods = Math.max(Math.ceil(total / length), 1);
    return { left: total - (periods - 1) * length, periods, length, period: true };
  }

  tick() {
    if (!this.view) return;
    if (!this.on()) return;
    if (this.view.timing?.shared) {
      this.paint("shared", "black");
      return;
    }
    for (const color of /** @type {Color[]} */ (["black", "white"])) if (this.timed(color)) this.paint(color, color);
  }

  /** @param {string} id @param {Color} color */
  paint(id, color) {
    const box = $(`clock-${id}`);
    const down = this.down(color);
    const runs = this.runs(color);
    const { left, periods, length, period } = this.shown(color);
    const low = !down && (period ? left <= 10000 : left <= LOW && periods === 0);
    const text = clockText(left, down);
    const phase = this.view?.state?.phase;
    const control = this.view?.timing?.[color];
    const link = document.body.dataset.link;
    const marks = [
      link === "stale" || link === "offline" ? "? not live" : "",
      down ? "⚑ flag" : "",
      !down && runs ? "▶ runs" : "",
      !down && !runs && phase === "paused" ? "❚❚ stopped" : "",
      !down && !runs && phase === "playing" && this.view?.state?.halted ? "❚❚ stands" : "",
      low ? "short of time" : "",
      control?.increment_ms && !down ? `+${control.increment_ms / 1000} s a move` : "",
      periods ? `${period ? "period, " : ""}${periods} × ${clockText(length, false)} left` : "",
    ].filter(Boolean);
    set(part(box, ".time"), text);
    set(part(box, ".marks"), marks.join(" · "));
    box.classList.toggle("runs", runs && !down);
    box.classList.toggle("low", low);
    box.classList.toggle("down", down);
    const whose = id === "shared" ? "The clock of the game" : `${capital(color)}'s clock`;
    const label = `${whose}: ${down ? "the flag has fallen" : `${clockWords(left)}${runs ? ", it runs" : ""}${low ? ", short of time" : ""}${periods ? `, ${periods} periods left` : ""}`}`;
    if (box.getAttribute("aria-label") !== label) box.setAttribute("aria-label", label);
    if (runs && !down) this.warn(id === "shared" ? "The game" : capital(color), color, left, periods > 0 && !period);
  }

  /** Says aloud that time runs short. @param {string} who @param {string} color @param {number} left @param {boolean} more */
  warn(who, color, left, more) {
    const before = this.last[color];
    this.last[color] = left;
    if (before === undefined || more) return;
    for (const [at, words] of SAID) {
      if (before > at && left <= at) this.o.say(`${who} has ${words} left.`);
    }
  }

  /** Whether the visitor may press a color's clock. @param {Color} color */
  mayPress(color) {
    const you = this.you;
    if (!you || !this.view?.press) return false;
    // An arbiter who has logged in sits at no board.
    if (you.role === "arbiter") return !you.login;
    return you.role === "player" && (!you.seat || you.seat === color);
  }

  /** @param {Color} color */
  press(color) {
    const box = $(`press-${color}`);
    box.classList.add("pressed");
    setTimeout(() => box.classList.remove("pressed"), 250);
    this.o.press(color);
  }

  /** The space bar presses for whoever is to press. @param {KeyboardEvent} e */
  key(e) {
    if (e.key !== " " || e.repeat || e.altKey || e.ctrlKey || e.metaKey || e.defaultPrevented) return;
    const at = e.target instanceof Element ? e.target : null;
    if (at?.closest("input, select, textarea, button, summary, a, dialog, [role=gridcell][data-hands], .moves")) return;
    const running = this.view?.state?.clock?.running;
    const color = running === "black" || running === "white" ? running : this.view?.state?.turn;
    if ((color !== "black" && color !== "white") || !this.mayPress(color)) return;
    e.preventDefault();
    this.press(color);
  }
}

/** @param {Element} e @param {string} selector */
const part = (e, selector) => /** @type {HTMLElement} */ (e.querySelector(selector));

/** @param {Element} e @param {string} text */
function set(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
