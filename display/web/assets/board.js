// The board: discs, lights, and a grid that keyboards and screen readers can
// walk. It shows what it is given and says what the visitor wants.

import { $, SQUARES, element, indexOf } from "./model.js";
import { astray } from "./past.js";

/** @typedef {import("./model.js").View} View */

/**
 * @typedef {object} Wishes  what the visitor's hands want
 * @property {() => boolean} able  whether there are hands at all
 * @property {(square: string, wrong: boolean) => void} activate
 * @property {(square: string, wrong: boolean) => void} place
 * @property {(square: string) => void} turn
 * @property {(square: string) => void} lift
 * @property {(from: string, to: string) => void} slide
 * @property {() => void} cancel
 */

/** How long a light that blinks is shown as lit when motion is not wanted. */
const HOLD = 900;

export class Board {
  /** @param {Wishes} wishes */
  constructor(wishes) {
    this.wishes = wishes;
    this.grid = $("board");
    /** @type {HTMLElement[]} */
    this.cells = [];
    this.at = 0; // the square that has the focus, or had it last
    this.typed = ""; // a file that was typed and waits for its rank
    this.held = ""; // a square whose disc slides next, chosen by keyboard
    this.table = "";
    /** @type {View|null} */
    this.view = null;
    /** Squares that are not what the rules would have made of them. @type {Map<string, {ply: number, missed: boolean}>} */
    this.wrongs = new Map();
    /** The meaning of the light on a square. @type {Map<number, string>} */
    this.meaning = new Map();
    /** What is shown instead of the table. @type {{kind: "past"|"edit", board: string, last: string, text: string}|null} */
    this.instead = null;
    /** What a click does while a position is put right. @type {((square: string) => void)|null} */
    this.put = null;
    this.lights = Array.from({ length: 64 }, () => ({ color: 0, shown: 0, since: 0 }));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.build();
    new Drag(this);
  }

  build() {
    for (let rank = 0; rank < 8; rank++) {
      const row = element("div", "row");
      row.setAttribute("role", "row");
      for (let file = 0; file < 8; file++) {
        const cell = element("div", "cell");
        const i = 8 * rank + file;
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = i === 0 ? 0 : -1;
        cell.dataset.square = SQUARES[i];
        cell.append(element("span", "led"));
        this.cells.push(cell);
        row.append(cell);
      }
      this.grid.append(row);
    }
    this.focusable(27); // d4: in the middle of things
    this.grid.addEventListener("keydown", (e) => this.key(e));
    this.grid.addEventListener("focusin", (e) => this.focusable(this.cells.indexOf(/** @type {HTMLElement} */ (e.target))));
    this.grid.addEventListener("click", (e) => {
      const cell = /** @type {HTMLElement} */ (e.target).closest(".cell");
      if (!(cell instanceof HTMLElement)) return;
      if (this.put) this.put(cell.dataset.square ?? "");
      else if (this.able()) this.wishes.activate(cell.dataset.square ?? "", e.shiftKey);
    });
    $("past-end").addEventListener("click", () => this.grid.dispatchEvent(new CustomEvent(this.instead?.kind === "edit" ? "form" : "now")));
  }

  /** Whether hands can be laid on what is shown. */
  able() {
    return !this.instead && this.wishes.able();
  }

  /**
   * Shows a position of the game on record, or the table again.
   * @param {{board: string, last: string, text: string}|null} position
   */
  past(position) {
    if (this.instead?.kind === "edit") return;
    this.instead = position && { kind: "past", ...position };
    this.again();
  }

  /**
   * Lets a position be put right: what it is, and what a click does (null: as
   * before); null for the end of that.
   * @param {string[]|null} squares @param {((square: string) => void)|null} click
   */
  edit(squares, click) {
    this.instead = squares && { kind: "edit", board: squares.join(""), last: "", text: "You are correcting the record: nothing happens before you say so." };
    if (!squares) this.put = null;
    else if (click) this.put = click;
    this.again();
  }

  again() {
    $("past").hidden = !this.instead;
    $("past-text").textContent = this.instead?.text ?? "";
    $("past-end").textContent = this.instead?.kind === "edit" ? "To the form" : "Back to now";
    this.grid.classList.toggle("instead", Boolean(this.instead));
    this.grid.classList.toggle("editing", Boolean(this.put));
    if (this.view) this.show(this.view);
  }

  /** @param {number} i */
  focusable(i) {
    if (i < 0) return;
    this.cells[this.at].tabIndex = -1;
    this.at = i;
    this.cells[i].tabIndex = 0;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (e.altKey || e.metaKey) return;
    const to = this.step(e);
    if (to >= 0) {
      this.focusable(to);
      this.cells[to].focus();
    } else if (!this.type(e) && (e.ctrlKey || !this.act(e))) {
      return;
    }
    e.preventDefault();
  }

  /** Where an arrow key leads, -1 if it is none. @param {KeyboardEvent} e */
  step(e) {
    const file = this.at & 7;
    const rank = this.at >> 3;
    switch (e.key) {
      case "ArrowLeft":
        return this.at - (file > 0 ? 1 : 0);
      case "ArrowRight":
        return this.at + (file < 7 ? 1 : 0);
      case "ArrowUp":
        return this.at - (rank > 0 ? 8 : 0);
      case "ArrowDown":
        return this.at + (rank < 7 ? 8 : 0);
      case "PageUp":
        return file;
      case "PageDown":
        return 56 + file;
      case "Home":
        return e.ctrlKey ? 0 : 8 * rank;
      case "End":
        return e.ctrlKey ? 63 : 8 * rank + 7;
      default:
        return -1;
    }
  }

  /** Takes "e" and then "6" as a way to e6. @param {KeyboardEvent} e */
  type(e) {
    if (e.ctrlKey || e.key.length !== 1) return false;
    const key = e.key.toLowerCase();
    if (key >= "a" && key <= "h") {
      this.typed = key;
      return true;
    }
    const whole = this.typed;
    this.typed = "";
    if (!whole || key < "1" || key > "8") return false;
    this.focusable(indexOf(whole + key));
    this.cells[this.at].focus();
    return true;
  }

  /** @param {KeyboardEvent} e */
  act(e) {
    const square = SQUARES[this.at];
    if (this.put && (e.key === "Enter" || e.key === " ")) {
      this.put(square);
      return true;
    }
    if (!this.able()) return false;
    switch (e.key.length === 1 ? e.key.toLowerCase() : e.key) {
      case "Enter":
      case " ":
        if (this.held) this.drop(square);
        else this.wishes.activate(square, e.shiftKey);
        return true;
      case "t":
        this.wishes.turn(square);
        return true;
      case "l":
        this.wishes.lift(square);
        return true;
      case "p":
        this.wishes.place(square, e.shiftKey);
        return true;
      case "s":
        this.hold(this.held === square ? "" : square);
        return true;
      case "Escape":
        this.hold("");
        this.wishes.cancel();
        return true;
      default:
        return false;
    }
  }

  /** @param {string} square */
  hold(square) {
    if (this.held) this.cells[indexOf(this.held)].classList.remove("held");
    this.held = square && this.disc(square) ? square : "";
    if (this.held) this.cells[indexOf(square)].classList.add("held");
  }

  /** @param {string} square */
  drop(square) {
    const from = this.held;
    this.hold("");
    if (from !== square) this.wishes.slide(from, square);
  }

  /** What lies on a square of the table, "" for nothing. @param {string} square */
  disc(square) {
    const face = this.table[indexOf(square)];
    return face === "B" ? "black" : face === "W" ? "white" : "";
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    const state = view.state;
    this.table = this.instead?.board || view.table || state?.board || "-".repeat(64);
    this.read(view);
    const move = this.instead ? this.instead.last : state && state.phase !== "setup" && state.last ? state.last.move : "";
    const last = /^[a-h][1-8]$/.test(move) ? indexOf(move) : -1;
    const failed = new Set(this.instead ? [] : (view.failed ?? []).map(indexOf));
    const able = this.able();
    this.wrongs = this.instead ? new Map() : astray(view);
    for (let i = 0; i < 64; i++) {
      const cell = this.cells[i];
      const face = this.table[i];
      this.face(cell, face === "?" ? (state?.board[i] ?? "-") : face);
      cell.classList.toggle("unsure", face === "?");
      cell.classList.toggle("last", i === last);
      cell.classList.toggle("failed", failed.has(i));
      cell.dataset.mark = this.meaning.get(i) ?? "";
      cell.classList.toggle("astray", this.wrongs.has(SQUARES[i]));
      cell.classList.toggle("changed", this.instead?.kind === "edit" && face !== state?.board[i]);
      cell.toggleAttribute("data-hands", able || Boolean(this.put));
      cell.setAttribute("aria-label", this.label(i, last, failed.has(i)));
    }
    this.grid.classList.toggle("able", able);
    this.grid.setAttribute("aria-readonly", String(!able && !this.put));
    $("keys").textContent = this.put
      ? "Arrow keys walk the board, or type a square such as e6. Enter changes a square: empty, black, white."
      : able
      ? "Arrow keys walk the board, or type a square such as e6. Enter places a disc or turns one over, T turns, L lifts, P places, S slides a disc to where Enter is pressed next; with Shift the wrong color."
      : "Arrow keys walk the board, or type a square such as e6.";
  }

  /** Makes a cell hold a disc that shows a face. @param {HTMLElement} cell @param {string} face */
  face(cell, face) {
    let disc = cell.querySelector(".disc");
    if (face !== "B" && face !== "W") {
      disc?.remove();
      return;
    }
    if (!disc) {
      // Discs that were there before the page opened do not fall onto it.
      disc = element("span", document.body.classList.contains("ready") ? "disc new" : "disc");
      disc.append(element("i", "face black"), element("i", "face white"));
      disc.classList.toggle("is-white", face === "W");
      cell.prepend(disc);
    }
    disc.classList.toggle("is-white", face === "W");
  }

  /** Works out what the guide wants of each square. @param {View} view */
  read(view) {
    this.meaning.clear();
    if (this.instead) return;
    const guide = view.state?.guide;
    /** @param {string[]|null|undefined} squares @param {string} mark */
    const mark = (squares, mark) => squares?.forEach((s) => this.meaning.set(indexOf(s), mark));
    for (const alert of view.alerts ?? []) {
      if (alert.code === "sensor_fault" || alert.code === "bank_lost") mark(alert.squares, "fault");
    }
    if (view.state?.phase === "over") mark(view.state.result?.time_up?.differ, "differ");
    mark(guide?.place, "place");
    mark(guide?.flip, "flip");
    mark(guide?.remove, "remove");
    // A disc to turn that is itself the problem was put down wrong side up.
    const problem = view.state?.problem?.active ? (view.state.problem.squares ?? []) : [];
    mark(guide?.flip?.filter((s) => problem.includes(s)), "turn");
  }

  /** @param {number} i @param {number} last @param {boolean} failed */
  label(i, last, failed) {
    const face = this.table[i];
    const words = [SQUARES[i], face === "B" ? "black disc" : face === "W" ? "white disc" : face === "?" ? "unknown" : "empty"];
    const light = {
      flip: "light: turn this disc",
      place: "light: put a disc here",
      remove: face === "-" ? "light: put this square right" : "light: this disc is wrong",
      turn: "light: wrong side up, turn this disc",
      fault: "light: this square cannot be read",
      differ: "light: the record has something else here",
    }[this.meaning.get(i) ?? ""];
    if (light) words.push(light);
    const wrong = this.wrongs.get(SQUARES[i]);
    if (wrong) words.push(wrong.missed ? `should have been turned by move ${wrong.ply}` : `should not have been turned by move ${wrong.ply}`);
    if (this.instead?.kind === "edit" && face !== this.view?.state?.board[i]) words.push("changed");
    if (i === last) words.push("last move");
    if (failed) words.push("sensor broken");
    return words.join(", ");
  }

  /** Lights the LEDs as on the wire. @param {string} text base64 of 64 × R, G, B */
  light(text) {
    const raw = atob(text);
    const now = performance.now();
    for (let i = 0; i < 64; i++) {
      const led = this.lights[i];
      led.color = (raw.charCodeAt(3 * i) << 16) | (raw.charCodeAt(3 * i + 1) << 8) | raw.charCodeAt(3 * i + 2);
      if (this.calm.matches) this.steady(i, now);
      else if (led.color !== led.shown) this.paint(i, led.color);
    }
    if (this.calm.matches) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.lights.forEach((_, i) => this.steady(i, performance.now())), HOLD);
    }
  }

  /** Shows a light that blinks as one that is lit at its brightest. @param {number} i @param {number} now */
  steady(i, now) {
    const led = this.lights[i];
    const brighter = brightness(led.color) >= brightness(led.shown);
    if (!brighter && now - led.since < HOLD) return;
    if (led.color !== led.shown) this.paint(i, led.color);
    led.since = now;
  }

  /** @param {number} i @param {number} color */
  paint(i, color) {
    const cell = this.cells[i];
    const most = brightness(color);
    this.lights[i].shown = color;
    cell.classList.toggle("lit", most > 0);
    cell.dataset.led = "#" + color.toString(16).padStart(6, "0");
    // An LED at a tenth of its power still looks half as bright as at full
    // power, a screen's pixel does not: dim colors are lifted, keeping their
    // hue. What it throws around adds light, so it is never darker than what it
    // falls on: that is the hue alone, thinner when the light is dim.
    const power = most / 255;
    cell.style.setProperty("--led", scaled(color, power ** 0.2 / power));
    cell.style.setProperty("--hue", scaled(color, 1 / power));
    cell.style.setProperty("--glow", String((power ** 0.45).toFixed(2)));
  }
}

/** @param {number} color */
const brightness = (color) => Math.max(color >> 16, (color >> 8) & 255, color & 255);

/** A color brightened by a factor, black for a light that is off. @param {number} color @param {number} by */
function scaled(color, by) {
  const [r, g, b] = [16, 8, 0].map((shift) => Math.min(255, Math.round(((color >> shift) & 255) * by)) || 0);
  return `rgb(${r} ${g} ${b})`;
}

/** Discs that follow the pointer. */
class Drag {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {{from: string, color: string, x: number, y: number, ghost: HTMLElement|null, id: number}|null} */
    this.now = null;
    this.swallow = false;
    /** The square under the dragged disc. @type {Element|null} */
    this.target = null;
    board.grid.addEventListener("pointerdown", (e) => {
      const cell = /** @type {HTMLElement} */ (e.target).closest(".cell");
      const square = cell instanceof HTMLElement ? (cell.dataset.square ?? "") : "";
      if (square && board.disc(square)) this.take(e, square, board.disc(square));
    });
    for (const pile of document.querySelectorAll(".pile")) {
      pile.addEventListener("pointerdown", (e) => this.take(/** @type {PointerEvent} */ (e), "", /** @type {HTMLElement} */ (pile).dataset.color ?? ""));
    }
    addEventListener("pointermove", (e) => this.move(e));
    addEventListener("pointerup", (e) => this.drop(e));
    addEventListener("pointercancel", () => this.clear());
    addEventListener("keydown", (e) => e.key === "Escape" && this.clear());
    // The click that ends a drag is not a click; one made by a key has no detail.
    addEventListener("pointerdown", () => (this.swallow = false), true);
    addEventListener(
      "click",
      (e) => {
        if (this.swallow && e.detail > 0) e.stopPropagation();
        this.swallow = false;
      },
      true,
    );
  }

  /** @param {PointerEvent} e @param {string} from @param {string} color */
  take(e, from, color) {
    if (e.button !== 0 || !this.board.able() || this.now) return;
    this.now = { from, color, x: e.clientX, y: e.clientY, ghost: null, id: e.pointerId };
    if (!from) e.preventDefault();
  }

  /** @param {PointerEvent} e */
  move(e) {
    const now = this.now;
    if (!now || e.pointerId !== now.id) return;
    if (!now.ghost) {
      if (Math.hypot(e.clientX - now.x, e.clientY - now.y) < 7) return;
      now.ghost = element("div", "ghost");
      const disc = element("span", now.color === "white" ? "disc is-white" : "disc");
      disc.append(element("i", "face black"), element("i", "face white"));
      now.ghost.append(disc);
      const size = this.board.cells[0].getBoundingClientRect().width;
      now.ghost.style.setProperty("--cell", `${size}px`);
      document.body.append(now.ghost);
      if (now.from) this.board.cells[indexOf(now.from)].classList.add("away");
      document.documentElement.classList.add("dragging");
    }
    now.ghost.style.transform = `translate(${e.clientX}px, ${e.clientY}px)`;
    this.over(e);
  }

  /** @param {PointerEvent} e */
  over(e) {
    const cell = document.elementFromPoint(e.clientX, e.clientY)?.closest(".cell") ?? null;
    if (cell !== this.target) {
      this.target?.classList.remove("target");
      cell?.classList.add("target");
      this.target = cell;
    }
    return cell instanceof HTMLElement ? (cell.dataset.square ?? "") : "";
  }

  /** @param {PointerEvent} e */
  drop(e) {
    const now = this.now;
    if (!now || e.pointerId !== now.id) return;
    if (now.ghost) {
      const to = this.over(e);
      const color = /** @type {import("./model.js").Color} */ (now.color);
      this.swallow = true;
      if (!now.from) to && this.dropped(to, color);
      else if (!to) this.board.wishes.lift(now.from);
      else if (to !== now.from) this.board.wishes.slide(now.from, to);
    }
    this.clear();
  }

  /** @param {string} to @param {import("./model.js").Color} color */
  dropped(to, color) {
    this.board.grid.dispatchEvent(new CustomEvent("dropped", { detail: { square: to, color } }));
  }

  clear() {
    this.now?.ghost?.remove();
    if (this.now?.from) this.board.cells[indexOf(this.now.from)].classList.remove("away");
    this.target?.classList.remove("target");
    this.target = null;
    this.now = null;
    document.documentElement.classList.remove("dragging");
  }
}
