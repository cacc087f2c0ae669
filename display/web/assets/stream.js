// The live stream: one connection for all tabs of this browser, read with
// fetch because an EventSource hides the heartbeats that prove it is alive.

import { newID } from "./model.js";

/**
 * @typedef {{type: string, data: any, id: string}} Message
 * @typedef {"connecting"|"live"|"stale"|"offline"} Link
 */

/** Cuts a stream of text into SSE messages. */
export class Parser {
  /** @param {(m: {type: string, data: string, id: string}) => void} emit */
  constructor(emit) {
    this.emit = emit;
    this.rest = "";
  }

  /** @param {string} text */
  push(text) {
    this.rest += text;
    for (let end; (end = this.rest.indexOf("\n\n")) >= 0; this.rest = this.rest.slice(end + 2)) {
      const message = { type: "message", data: "", id: "" };
      for (const line of this.rest.slice(0, end).split("\n")) {
        const colon = line.indexOf(": ");
        const value = line.slice(colon + 2);
        if (line.startsWith("event: ")) message.type = value;
        else if (line.startsWith("data: ")) message.data = value;
        else if (line.startsWith("id: ")) message.id = value;
      }
      if (message.data) this.emit(message);
    }
  }
}

/** How often the leader says that it is there, and how long the others believe it, in ms. */
const BEAT = 1000;
const BELIEVED = 3500;
/** How long a page that is hidden keeps the stream, in ms: people look away for a moment. */
const GRACE = 3000;

/**
 * Keeps the page fed. One of the visible tabs leads: it reads the stream and hands every
 * message on to the others, so that a browser has one connection, of the six that it
 * allows itself over plain HTTP. A tab that is hidden or closed gives the lead up, and the
 * next one goes on where it has seen the stream end. The tabs agree by messages alone,
 * since a page from plain HTTP in a local network has no Web Locks: where two lead, the
 * one with the smaller name goes on. Hidden tabs listen but never lead.
 */
export class Stream {
  /**
   * @param {{path?: string, stale: number, message: (m: Message) => void, link: (l: Link, silentFor: number) => void}} o
   */
  constructor(o) {
    this.o = o;
    this.path = o.path ?? "/api/v1/stream";
    this.lastID = "";
    this.fresh = false; // the next connection asks for a snapshot
    this.alive = performance.now(); // when a byte last arrived
    /** @type {Link} */
    this.state = "connecting";
    /** What the other tabs call this one. */
    this.name = newID();
    this.leading = false;
    /** Counts the times this tab has begun to lead: a reader of an earlier one ends. */
    this.term = 0;
    /** When the leader was last heard. */
    this.heard = -Infinity;
    /** The tab has been hidden or is new: it takes what the leader knows. */
    this.catching = true;
    /** @type {AbortController|null} */
    this.reading = null;
    /** What a tab that joins needs to know. @type {{card: any, view: any, leds: any, epoch: string}|null} */
    this.known = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.leave = undefined;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.bid = undefined;
    /** Wakes a reader that waits before it tries again. */
    this.hurry = () => {};
  }

  start() {
    if (window.BroadcastChannel) {
      this.channel = new BroadcastChannel(`reversi-board${this.path}`);
      this.channel.onmessage = (e) => this.hear(e.data);
    }
    setInterval(() => this.watch(), BEAT);
    document.addEventListener("visibilitychange", () => this.look());
    window.addEventListener("pagehide", () => this.resign());
    window.addEventListener("pageshow", (e) => e.persisted && this.look());
    this.look();
  }

  /** Forgets what has been seen and asks for everything anew, for all tabs. */
  restart() {
    if (this.leading) {
      this.fresh = true;
      this.reading?.abort();
      return;
    }
    this.tell({ kind: "again" });
  }

  /** Says something to the other tabs. @param {any} what */
  tell(what) {
    this.channel?.postMessage({ ...what, by: this.name });
  }

  /** Asks for the lead: it is taken if nobody objects meanwhile. @param {number} wait in ms */
  stand(wait) {
    clearTimeout(this.bid);
    this.bid = setTimeout(() => this.lead(), this.channel ? wait * (0.5 + Math.random()) : 0);
  }

  /** Takes the lead. */
  lead() {
    if (this.leading || document.hidden) return;
    this.leading = true;
    this.catching = false;
    this.tell({ kind: "lead" });
    this.read(++this.term);
  }

  /** Ends to lead. @param {boolean} silently  another tab leads already */
  yield(silently) {
    if (!this.leading) return;
    this.leading = false;
    this.term++;
    this.reading?.abort();
    this.hurry();
    if (!silently) this.tell({ kind: "bye" });
  }

  /** Gives the stream back. */
  resign() {
    clearTimeout(this.bid);
    this.catching = true;
    this.yield(false);
  }

  /** Reads the stream while this tab leads. @param {number} term */
  async read(term) {
    for (let wait = 500; this.term === term; ) {
      const began = performance.now();
      const reading = new AbortController();
      this.reading = reading;
      let lost = false;
      try {
        await this.once(reading.signal);
      } catch {
        lost = !reading.signal.aborted;
      }
      if (this.term !== term) return;
      if (this.state === "live") this.show("connecting");
      if (lost) this.show("offline");
      if (performance.now() - began > 10000) wait = 500;
      await this.pause(this.fresh ? 0 : wait * (0.5 + Math.random()));
      wait = Math.min(wait * 2, 8000);
    }
  }

  /** One connection, from its start to its end. @param {AbortSignal} signal */
  async once(signal) {
    const resume = this.lastID && !this.fresh;
    this.fresh = false;
    const response = await fetch(this.path, {
      headers: resume ? { "Last-Event-ID": this.lastID } : {},
      cache: "no-store",
      signal,
    });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const parser = new Parser((m) => this.deliver({ type: m.type, data: JSON.parse(m.type === "leds" ? `"${m.data}"` : m.data), id: m.id }));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream has ended");
      if (signal.aborted) throw new Error("this tab leads no more");
      this.touch();
      this.tell({ kind: "alive" });
      parser.push(value);
    }
  }

  /** @param {number} ms */
  pause(ms) {
    return new Promise((resolve) => {
      this.hurry = () => resolve(undefined);
      setTimeout(resolve, ms);
    });
  }

  /** Takes a message from the server and hands it to the other tabs. @param {Message} m */
  deliver(m) {
    this.tell({ kind: "message", message: m });
    this.accept(m);
  }

  /** @param {Message} m */
  accept(m) {
    if (m.type === "snapshot") this.known = { ...m.data };
    else if (!this.known) return;
    else if (m.type === "view") this.known.view = m.data;
    else if (m.type === "leds") this.known.leds = m.data;
    else if (m.type === "event" && this.lastID && !this.isNext(m.id)) return;
    if (m.id) this.lastID = m.id;
    this.o.message(m);
  }

  /** An event that a handover repeats is dropped. @param {string} id */
  isNext(id) {
    const [epoch, n] = id.split("-");
    const [lastEpoch, last] = this.lastID.split("-");
    return epoch !== lastEpoch || Number(n) > Number(last);
  }

  /** Something from another tab. @param {any} said */
  hear(said) {
    switch (said.kind) {
      case "hello":
        if (!this.leading) break;
        this.tell({ kind: "lead" });
        if (!this.known) break;
        this.tell({ kind: "welcome", message: { type: "snapshot", id: this.lastID, data: this.known } });
        this.tell({ kind: "link", state: this.state });
        break;
      case "lead":
        if (this.leading && said.by > this.name) {
          this.tell({ kind: "lead" });
          break;
        }
        this.yield(true);
        clearTimeout(this.bid);
        this.heard = performance.now();
        break;
      case "bye":
        this.heard = -Infinity;
        if (!document.hidden) this.stand(100);
        break;
      case "welcome":
        if (this.leading || (this.known && !this.catching)) break;
        this.catching = false;
        this.touch();
        this.accept(said.message);
        break;
      case "message":
        if (!this.leading) this.accept(said.message);
        break;
      case "again":
        if (this.leading) this.restart();
        break;
      case "alive":
        if (!this.leading) this.touch();
        break;
      case "link":
        if (!this.leading) this.show(said.state);
        break;
    }
  }

  /** A byte has arrived. */
  touch() {
    this.alive = performance.now();
    this.show("live");
  }

  /** Notices that the tab is looked at, or not. */
  look() {
    clearTimeout(this.leave);
    if (document.hidden) {
      this.leave = setTimeout(() => this.resign(), GRACE);
      return;
    }
    if (!this.leading) {
      this.tell({ kind: "hello" });
      this.stand(200);
    }
    this.watch();
  }

  /** Tells the others that this tab leads, or notices that none does, and looks for silence. */
  watch() {
    if (this.leading) this.tell({ kind: "lead" });
    else if (!document.hidden && performance.now() - this.heard > BELIEVED) this.stand(200);
    const silent = performance.now() - this.alive;
    if (!document.hidden) this.hurry();
    if (silent <= this.o.stale) {
      if (this.state !== "live") this.o.link(this.state, silent);
      return;
    }
    if (this.state === "live") {
      this.show("stale");
      if (this.leading) this.reading?.abort();
    }
    this.o.link(this.state, silent);
  }

  /** @param {Link} state */
  show(state) {
    if (this.state === state) return;
    // Only a byte ends staleness; trying to connect does not.
    if (this.state === "stale" && state === "connecting") return;
    this.state = state;
    if (this.leading) this.tell({ kind: "link", state });
    this.o.link(state, performance.now() - this.alive);
  }
}
