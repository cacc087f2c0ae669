// The health view: a map of the cells and tables of everything else, for whoever
// builds or mends the board.

import { $, SQUARES, element } from "./model.js";
import { Stream } from "./stream.js";

/**
 * @typedef {{state: string, cells: string[], note?: string}} Row
 * @typedef {{title: string, columns: string[], rows: Row[]}} Table
 * @typedef {{state: string, summary: string, cells: string, margins: number[], flaps: number[], tables: Table[]}} Health
 */

/** What a letter means: its sign, its name, and what to do. */
const CLASSES = /** @type {Record<string, [string, string, string]>} */ ({
  ".": ["", "good", ""],
  n: ["≈", "noisy", "believed, but it strays or has little margin"],
  s: ["■", "stuck", "shows what no disc can show"],
  f: ["⇅", "flapping", "changes more than hands do"],
  g: ["◌", "ghost", "may only seem to hold a disc"],
  m: ["✕", "masked", "shows no disc where one must lie"],
  "?": ["?", "no data", "its chip does not answer"],
});

/** What a state looks like and is called. */
const STATES = /** @type {Record<string, [string, string]>} */ ({ good: ["✓", "good"], warn: ["!", "look at this"], bad: ["✗", "bad"] });

/** Changes a text only if it differs: readers of the screen hear of changes. @param {Element} e @param {string} text */
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

/** The map of the cells. */
class Map64 {
  constructor() {
    const head = element("tr");
    head.append(element("td"), ...[..."abcdefgh"].map((f) => header(f, "col")));
    const thead = element("thead");
    thead.append(head);
    const body = element("tbody");
    /** @type {HTMLElement[]} */
    this.cells = [];
    for (let rank = 0; rank < 8; rank++) {
      const row = element("tr");
      row.append(header(String(rank + 1), "row"));
      for (let file = 0; file < 8; file++) {
        const cell = element("td", "cell64");
        cell.append(element("i", "sign"), element("b", "margin"), element("span", "vh"));
        cell.dataset.square = SQUARES[8 * rank + file];
        this.cells.push(cell);
        row.append(cell);
      }
      body.append(row);
    }
    $("map").replaceChildren(thead, body);
    /** @type {Record<string, HTMLElement>} */
    this.counts = {};
    $("classes").replaceChildren(
      ...Object.entries(CLASSES).map(([letter, [sign, name, means]]) => {
        const item = element("li");
        const mark = element("i", "mark", sign);
        mark.dataset.class = letter;
        mark.setAttribute("aria-hidden", "true");
        const count = element("b", "", "");
        this.counts[letter] = count;
        const text = element("span");
        text.append(count, ` ${name}`, means ? element("small", "", `: ${means}`) : "");
        item.append(mark, text);
        item.dataset.class = letter;
        return item;
      }),
    );
  }

  /** @param {Health} health */
  show(health) {
    /** @type {Record<string, number>} */
    const counts = {};
    this.cells.forEach((cell, i) => {
      const letter = health.cells[i] ?? "?";
      const [sign, name] = CLASSES[letter] ?? CLASSES["?"];
      const believed = letter === "." || letter === "n";
      const margin = health.margins[i] ?? 0;
      const flaps = health.flaps[i] ?? 0;
      counts[letter] = (counts[letter] ?? 0) + 1;
      const text = [name, believed ? `margin ${margin}` : "", flaps >= 0.1 ? `${flaps.toFixed(1)} changes a second` : ""].filter(Boolean).join(", ");
      if (cell.dataset.class !== letter) cell.dataset.class = letter;
      cell.style.setProperty("--margin", String(believed ? margin : 0));
      write(cell.children[0], sign);
      write(cell.children[1], believed ? String(margin) : "");
      write(cell.children[2], text);
      cell.title = `${SQUARES[i]}: ${text}`;
    });
    for (const [letter, count] of Object.entries(this.counts)) {
      const item = /** @type {HTMLElement} */ (count.closest("li"));
      write(count, String(counts[letter] ?? 0));
      item.hidden = letter !== "." && !counts[letter];
    }
  }
}

/** @param {string} text @param {"col"|"row"} scope */
function header(text, scope) {
  const th = element("th", "", text);
  th.setAttribute("scope", scope);
  return th;
}

/** The tables; what stays the same stays in the document. */
class Charts {
  constructor() {
    this.shape = "";
  }

  /** @param {Health} health */
  show(health) {
    const shape = JSON.stringify(health.tables.map((t) => [t.title, t.columns, t.rows.map((r) => [r.cells[0], r.cells.length, Boolean(r.note)])]));
    if (shape !== this.shape) {
      this.shape = shape;
      $("charts").replaceChildren(...health.tables.map((t) => this.build(t)));
    }
    health.tables.forEach((t, i) => this.fill($("charts").children[i], t));
  }

  /** @param {Table} table */
  build(table) {
    const card = element("section", table.columns.length <= 2 ? "card chart pairs" : "card chart");
    const scroll = element("div", "scroll");
    const t = element("table");
    t.append(element("caption", "", table.title));
    const head = element("tr");
    head.append(...table.columns.map((c) => header(c, "col")));
    const thead = element("thead", table.columns.length <= 2 ? "vh" : "");
    thead.append(head);
    const body = element("tbody");
    for (const row of table.rows) {
      const tr = element("tr");
      const name = header("", "row");
      name.append(element("i", "state"), element("span", "vh"), element("span", "name", row.cells[0]));
      tr.append(name, ...row.cells.slice(1).map(() => element("td")));
      body.append(tr);
      if (row.note) {
        const note = element("tr", "note");
        const cell = element("td");
        cell.setAttribute("colspan", String(table.columns.length));
        cell.append(element("span"));
        note.append(cell);
        body.append(note);
      }
    }
    t.append(thead, body);
    scroll.append(t);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", table.title);
    card.append(scroll);
    return card;
  }

  /** @param {Element} card @param {Table} table */
  fill(card, table) {
    const rows = [...card.querySelectorAll("tbody tr")];
    let at = 0;
    for (const row of table.rows) {
      const tr = /** @type {HTMLElement} */ (rows[at++]);
      const [sign, says] = STATES[row.state] ?? ["", ""];
      if (tr.dataset.state !== row.state) tr.dataset.state = row.state;
      const name = tr.children[0];
      write(name.children[0], sign);
      write(name.children[1], says ? `${says}: ` : "");
      row.cells.slice(1).forEach((text, i) => write(tr.children[i + 1], text));
      if (row.note) write(rows[at++].children[0].children[0], row.note);
    }
  }
}

const map = new Map64();
const charts = new Charts();

/** @param {Health} health */
function show(health) {
  const summary = $("summary");
  summary.dataset.state = health.state;
  write(summary, health.summary);
  map.show(health);
  charts.show(health);
  document.body.classList.add("ready");
}

new Stream({
  path: "/api/v1/health/stream",
  stale: Number(document.documentElement.dataset.stale) || 40000,
  message: (m) => m.type === "snapshot" && show(m.data),
  link: (link, silent) => {
    const seconds = Math.round(silent / 1000);
    const old = seconds >= 5 ? ` ${seconds} s` : "";
    $("link").dataset.state = link;
    document.body.dataset.link = link;
    write($("link-text"), { connecting: "Connecting", live: "Live", stale: `Stale${old}, reconnecting`, offline: `Offline${old}, trying again` }[link]);
  },
}).start();
