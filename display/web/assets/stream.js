// The live stream: one connection for all tabs of this browser, read with
// fetch because an EventSource hides the heartbeats that prove it is alive.

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

/**
 * Keeps the page fed. The tab that holds the lock reads the stream and hands
 * every message on to the others; when it closes, the next one takes over where
 * that tab has seen the stream end. Without locks (plain http in a local
 * network) every visible tab reads its own.
 */
export class Stream {
  /**
   * @param {{path?: string, stale: number, message: (m: Message) => void, link: (l: Link, silentFor: number) => void}} o
   */
  constructor(o) {
    this.o = o;
    this.path = o.path ?? "/api/v1/stream";
    /** What the tabs with the same stream have in common. */
    this.lock = `reversi-board${this.path}`;
    this.lastID = "";
    this.fresh = false; // the next connection asks for a snapshot
    this.alive = performance.now(); // when a byte last arrived
    /** @type {Link} */
    this.state = "connecting";
    this.leading = false;
    /** @type {AbortController|null} */
    this.reading = null;
    /** What a tab that joins needs to know. @type {{card: any, view: any, leds: any, epoch: string}|null} */
    this.known = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.leave = undefined;
    /** Wakes a reader that waits before it tries again. */
    this.hurry = () => {};
    setInterval(() => this.watch(), 1000);
    document.addEventListener("visibilitychange", () => this.look());
  }

  start() {
    if (!navigator.locks || !window.BroadcastChannel) {
      this.leading = true;
      this.read();
      return;
    }
    this.channel = new BroadcastChannel(this.lock);
    this.channel.onmessage = (e) => this.hear(e.data);
    this.queue(false);
    this.channel.postMessage({ kind: "hello" });
  }

  /** Forgets what has been seen and asks for everything anew. */
  restart() {
    this.fresh = true;
    this.reading?.abort();
  }

  /** The visitor has become somebody else: every tab gets everything anew. */
  again() {
    if (this.leading) this.restart();
    else this.channel?.postMessage({ kind: "again" });
  }

  /** Waits to lead, or takes the lead from a tab that has gone silent. @param {boolean} steal */
  queue(steal) {
    navigator.locks
      .request(this.lock, steal ? { steal } : {}, async () => {
        this.leading = true;
        await this.read();
      })
      .catch(() => {
        // Another tab has taken over.
        this.leading = false;
        this.reading?.abort();
        this.queue(false);
      });
  }

  /** Reads the stream while this tab leads. */
  async read() {
    for (let wait = 500; this.leading; ) {
      if (!navigator.locks && document.hidden) {
        await this.pause(60000);
        continue;
      }
      const began = performance.now();
      this.reading = new AbortController();
      let lost = false;
      try {
        await this.once(this.reading.signal);
      } catch {
        lost = !this.reading.signal.aborted;
      }
      if (!this.leading) return;
      if (this.state === "live") this.show("connecting");
      if (lost) this.show("offline");
      if (performance.now() - began > 10000) wait = 500;
      await this.pause(wait * (0.5 + Math.random()));
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
      this.touch();
      this.channel?.postMessage({ kind: "alive" });
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
    this.channel?.postMessage({ kind: "message", message: m });
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
        if (this.leading && this.known) {
          this.channel?.postMessage({ kind: "welcome", message: { type: "snapshot", id: this.lastID, data: this.known } });
          this.channel?.postMessage({ kind: "link", state: this.state });
        }
        break;
      case "welcome":
        if (!this.leading && !this.known) this.accept(said.message);
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
    // A browser has six connections to a server; a tab that nobody sees and
    // that cannot share one gives its own back.
    if (document.hidden && !navigator.locks) this.leave = setTimeout(() => this.reading?.abort(), 5000);
    else this.watch();
  }

  /** Looks for silence. */
  watch() {
    const silent = performance.now() - this.alive;
    if (!document.hidden) this.hurry();
    if (silent <= this.o.stale) {
      if (this.state !== "live") this.o.link(this.state, silent);
      return;
    }
    if (this.state === "live") {
      this.show("stale");
      if (this.leading) this.reading?.abort();
      else this.queue(true);
    }
    this.o.link(this.state, silent);
  }

  /** @param {Link} state */
  show(state) {
    if (this.state === state) return;
    // Only a byte ends staleness; trying to connect does not.
    if (this.state === "stale" && state === "connecting") return;
    this.state = state;
    if (this.leading) this.channel?.postMessage({ kind: "link", state });
    this.o.link(state, performance.now() - this.alive);
  }
}
