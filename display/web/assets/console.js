// The arbiter's console, and what of it players have: every ruling is filled in,
// read in words, and only then given.

import { $, SQUARES, capital, element, indexOf, other } from "./model.js";
import { clockText, clockWords } from "./clock.js";
import { lineOfPly, positionAfter } from "./past.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Color} Color @typedef {import("./model.js").You} You */

/**
 * @typedef {object} Ruling  what can be ruled
 * @property {string} id
 * @property {string} label  on the button
 * @property {string} title  of the form
 * @property {string} [says]  what it does
 * @property {boolean} [player]  players may do it, too
 * @property {"needed"|"welcome"} [reason]
 * @property {boolean} [at]  it is about the state that was there when the form was opened
 * @property {boolean} [once]  no confirmation: it can be taken back
 * @property {(state: import("./model.js").State, view: View) => boolean} able
 * @property {() => void} [open] @property {() => void} [close]
 * @property {() => HTMLElement[]} [fields]
 * @property {() => string} [wrong]  what is missing or wrong, "" for nothing
 * @property {() => string} words  what will happen
 * @property {() => [string, object]} command
 */

/** What answers mean. */
const STALE = "The board has moved on since you looked at it: look again, then go on.";

const running = (/** @type {import("./model.js").State} */ s) => s.phase === "playing" || s.phase === "paused";
const ruled = (/** @type {import("./model.js").State} */ s) => running(s) || s.phase === "over";

export class Console {
  /**
   * @param {object} o
   * @param {(name: string, args: object, seq: number|null) => Promise<import("./model.js").Reply>} o.order
   * @param {import("./clock.js").Clocks} o.clocks
   * @param {import("./board.js").Board} o.board
   * @param {(text: string) => void} o.say
   */
  constructor(o) {
    this.o = o;
    /** @type {View|null} */
    this.view = null;
    /** @type {You|null} */
    this.you = null;
    /** The ruling whose form is open. @type {Ruling|null} */
    this.now = null;
    /** The state that the form is about. @type {number} */
    this.seq = 0;
    /** The position that is being put right. @type {string[]|null} */
    this.edited = null;
    this.confirming = false;
    /** @type {Record<string, HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement>} */
    this.field = {};
    this.rulings = this.list();
    for (const r of this.rulings) {
      const button = element("button", "", r.label);
      button.id = `rule-${r.id}`;
      button.setAttribute("type", "button");
      button.setAttribute("aria-expanded", "false");
      button.setAttribute("aria-controls", "sheet");
      button.addEventListener("click", () => this.open(r));
      $("rulings").append(button);
    }
    $("sheet").addEventListener("submit", (e) => {
      e.preventDefault();
      if (this.confirming || this.now?.once) this.give();
      else this.confirm();
    });
    $("sheet").addEventListener("keydown", (e) => {
      if (e.key === "Escape") this.cancel();
    });
    $("board").addEventListener("keydown", (e) => {
      if (e.key === "Escape" && this.edited) this.cancel();
    });
    $("sheet-cancel").addEventListener("click", () => this.cancel());
    $("sheet-back").addEventListener("click", () => this.fill());
    $("sheet").addEventListener("input", () => $("sheet-error").setAttribute("hidden", ""));
  }

  /** @returns {Ruling[]} */
  list() {
    const state = () => /** @type {import("./model.js").State} */ (this.view?.state);
    const value = (/** @type {string} */ id) => this.field[id]?.value.trim() ?? "";
    const side = (/** @type {string} */ id) => /** @type {Color} */ (value(id));
    return [
      {
        id: "pause",
        label: "Stop the game",
        title: "Stop the game",
        says: "Both clocks stand, and hands are free.",
        reason: "welcome",
        once: true,
        able: (s) => s.phase === "playing",
        words: () => "The game is stopped.",
        command: () => ["pause", this.reason()],
      },
      {
        id: "resume",
        label: "Go on",
        title: "Let the game go on",
        says: "The clock of the player on turn runs again.",
        reason: "welcome",
        once: true,
        able: (s) => s.phase === "paused" || (s.phase === "playing" && Boolean(s.halted)),
        words: () => "The game goes on.",
        command: () => ["resume", this.reason()],
      },
      {
        id: "clock",
        label: "Clocks…",
        title: "Set the clocks",
        reason: "needed",
        able: (s) => s.clock?.mode !== "none" && Boolean(s.clock) && ruled(s),
        fields: () => this.clockFields(),
        wrong: () => (readTime(value("time")) === null ? "Type a time such as 2:00 (minutes and seconds)." : this.newTimes().every(([, ms]) => ms <= 24 * 3600000) ? "" : "That is more than 24 hours."),
        words: () => this.clockWords(),
        command: () => ["clock_set", { ...Object.fromEntries(this.newTimes().map(([color, ms]) => [`${color}_ms`, ms])), ...this.reason() }],
      },
      {
        id: "back",
        label: "Go back…",
        title: "Go back to an earlier move",
        reason: "needed",
        says: "Choose a move in the list, or here: the board shows the position after it.",
        at: true,
        able: (s) => ruled(s) && s.ply > 0,
        fields: () => this.plyField("ply", "After move", 0, state().ply - 1, state().ply - 1, (n) => this.look(n)),
        close: () => this.o.board.past(null),
        wrong: () => (Number(value("ply")) < state().ply ? "" : "That is where the game is."),
        words: () => {
          const plies = state().ply - Number(value("ply"));
          return `${plies === 1 ? "One move is" : `${plies} moves are`} taken back, down to move ${value("ply")}. The clocks show again what they showed then. The lights lead the discs back.`;
        },
        command: () => ["undo", { plies: state().ply - Number(value("ply")), ...this.reason() }],
      },
      {
        id: "reopen",
        label: "Take back the end…",
        title: "Take back the end of the game",
        says: "The resignation or the declared result no longer counts.",
        reason: "needed",
        able: (s) => s.phase === "over" && ["resign", "adjudicated"].includes(s.result?.reason ?? ""),
        words: () => "The game goes on where it stopped. No move is taken back. The clocks stand until the next disc.",
        command: () => ["undo", { plies: 0, ...this.reason() }],
      },
      {
        id: "correct",
        label: "Position…",
        title: "Correct the position",
        says: "Click squares on the board: empty, black, white. Say who is to move.",
        reason: "needed",
        at: true,
        able: (s) => ruled(s),
        open: () => this.edit([...state().board]),
        close: () => this.edit(null),
        fields: () => [this.choice("turn", "To move", [["black", "Black"], ["white", "White"]], state().turn === "white" ? "white" : "black")],
        wrong: () => (this.asked().length || this.changes().length || value("turn") !== state().turn ? "" : "Nothing has been changed yet: click a square of the board."),
        words: () => {
          const asked = this.asked();
          const changes = (asked.length ? asked : this.changes()).map(([s, face]) => `${s} ${{ B: "black", W: "white", "-": "empty" }[face]}`);
          if (asked.length) return `The time is up. On the board lie: ${changes.join(", ")}. The discs are then counted.`;
          return `${changes.length ? `The record says from now on: ${changes.join(", ")}. ` : ""}${capital(value("turn"))} is to move. The lights lead the discs to it.`;
        },
        command: () => ["correct_square", { squares: Object.fromEntries([...this.asked(), ...this.changes()]), turn: value("turn"), ...this.reason() }],
      },
      {
        id: "revise",
        label: "Moves…",
        title: "Correct the moves",
        says: "From a move on, the record gets other moves. Passes come by themselves.",
        reason: "needed",
        at: true,
        able: (s) => ruled(s),
        fields: () => this.reviseFields(),
        close: () => this.o.board.past(null),
        wrong: () => (/^([a-h][1-8]\s*)*$/i.test(value("moves")) ? "" : "Type moves such as f5d6c3."),
        words: () => {
          const moves = value("moves").toLowerCase().match(/[a-h][1-8]/g) ?? [];
          return `From move ${value("from")} on the record says ${moves.length ? moves.join(" ") : "nothing"}. The lights lead the discs to it.`;
        },
        command: () => ["revise", { from_ply: Number(value("from")), moves: value("moves").toLowerCase().replace(/\s+/g, ""), ...this.reason() }],
      },
      {
        id: "stand",
        label: "Let it stand…",
        title: "Let stand what lies on the board",
        says: "A move with wrong flips counts as it was made; anything else becomes the position.",
        reason: "needed",
        able: (s) => running(s),
        words: () => "What lies on the board now counts, and is not put right any more.",
        command: () => ["let_stand", this.reason()],
      },
      {
        id: "claim",
        label: "Claim…",
        title: "Claim a mistake of the last move",
        reason: "welcome",
        says: "The last move is put right, on the time of the player who made it.",
        player: true,
        able: (s, v) => v.claims,
        words: () => `${this.seat() ? capital(this.seat()) : "The opponent of the last move"} claims that the last move is wrong.`,
        command: () => ["claim", { ...(this.seat() ? { by: this.seat() } : {}), ...this.reason() }],
      },
      {
        id: "resign",
        label: "Resign…",
        title: "Give the game up",
        reason: "welcome",
        player: true,
        able: (s) => running(s),
        fields: () => [this.choice("color", "Who gives up", this.seat() ? [[this.seat(), capital(this.seat())]] : [["black", "Black"], ["white", "White"]], this.seat() || state().turn)],
        words: () => `${capital(value("color"))} gives up. ${capital(other(side("color")))} wins.`,
        command: () => ["resign", { color: value("color"), ...this.reason() }],
      },
      {
        id: "result",
        label: "Result…",
        title: "Declare a result",
        says: "The game ends with it, or gets it if it is over.",
        reason: "needed",
        able: (s) => ruled(s),
        fields: () => this.resultFields(),
        wrong: () => this.wrongResult(),
        words: () => {
          const score = `${value("black")} to ${value("white")}`;
          const what = { black: `Black wins, ${score}.`, white: `White wins, ${score}.`, draw: `A draw, ${score}.`, none: "The game has no result." }[value("result")];
          return `${what} The game is over.`;
        },
        command: () => [
          "adjudicate",
          { result: value("result"), ...(value("result") === "none" ? {} : { black: Number(value("black")), white: Number(value("white")) }), ...this.reason() },
        ],
      },
      {
        id: "names",
        label: "Names…",
        title: "Names of the players",
        reason: "welcome",
        once: true,
        able: () => true,
        fields: () => [this.input("name-black", "Black", this.named("black"), 64), this.input("name-white", "White", this.named("white"), 64)],
        words: () => "The players are called so.",
        command: () => ["players_set", { black: value("name-black") || "Black", white: value("name-white") || "White", ...this.reason() }],
      },
    ];
  }

  /** The color whose player the visitor is, "" for both or none. */
  seat() {
    return this.you?.role === "player" ? this.you.seat : "";
  }

  /** @param {Color} color */
  named(color) {
    const name = this.view?.state?.players?.[color] ?? "";
    return name.toLowerCase() === color ? "" : name;
  }

  reason() {
    const text = this.field.reason?.value.trim() ?? "";
    return text ? { reason: text } : {};
  }

  /** @param {View} view @param {You|null} you */
  update(view, you) {
    this.view = view;
    const first = this.you === null;
    const changed = this.you?.role !== you?.role;
    this.you = you;
    const role = you?.role ?? "viewer";
    const box = /** @type {HTMLDetailsElement} */ ($("console"));
    box.hidden = role === "viewer";
    $("more-than-players").hidden = !you?.full;
    $("console-title").textContent = role === "player" ? "Players" : "Arbiter";
    // Who has logged in to rule wants to see it; at home it is out of the way.
    if (first || changed) box.open = Boolean(you?.login);
    const state = view.state;
    for (const r of this.rulings) {
      const button = /** @type {HTMLButtonElement} */ ($(`rule-${r.id}`));
      const hidden = role === "player" && !r.player;
      button.hidden = hidden || (["pause", "resume", "claim"].includes(r.id) && !(state && r.able(state, view)));
      button.disabled = !state || !r.able(state, view);
    }
    this.objection(view);
    if (role === "viewer" && this.now) this.cancel();
    if (this.now && !this.edited && !this.confirming && state && !this.now.able(state, view)) this.cancel();
  }

  /** What may be said against the last move, for who may know. @param {View} view */
  objection(view) {
    const o = view.state?.objection;
    const text = o
      ? `Move ${o.ply}: ${[o.missed?.length ? `${o.missed.join(", ")} not turned` : "", o.extra?.length ? `${o.extra.join(", ")} turned too` : "", o.improper ? "it is no move" : ""].filter(Boolean).join("; ")}. ${o.claimed ? `${capital(o.by)} has claimed it: it is being put right.` : `${capital(o.by)} may claim it until the reply.`}`
      : "";
    $("objection").hidden = !text;
    if ($("objection").textContent !== text) $("objection").textContent = text;
  }

  /** Opens the form of a ruling. @param {Ruling} r @param {Record<string, string>} [values] */
  open(r, values = {}) {
    this.cancel(true);
    if (!this.view?.state) return;
    this.now = r;
    this.seq = this.view.state.seq;
    $(`rule-${r.id}`).setAttribute("aria-expanded", "true");
    this.field = {};
    r.open?.();
    $("sheet-title").textContent = r.title;
    $("sheet-says").textContent = r.says ?? "";
    $("sheet-says").hidden = !r.says;
    const fields = r.fields?.() ?? [];
    if (r.reason) fields.push(this.input("reason", r.reason === "needed" ? "Reason (it is kept)" : "Reason (optional)", "", 200));
    $("sheet-fields").replaceChildren(...fields);
    for (const [id, value] of Object.entries(values)) if (this.field[id]) this.field[id].value = value;
    $("sheet").hidden = false;
    this.fill();
    const first = /** @type {HTMLElement|null} */ ($("sheet-fields").querySelector("input, select, textarea"));
    // What is about the board is done with the board in sight.
    (first ?? $("sheet-next")).focus({ preventScroll: Boolean(r.at) });
    if (r.at) document.querySelector(".table")?.scrollIntoView({ block: "nearest" });
    else this.reach();
  }

  /** Brings the form into sight. */
  reach() {
    $("sheet").scrollIntoView({ block: "nearest" });
  }

  /** Opens a ruling about a move of the list. @param {number} ply */
  about(ply) {
    if (this.now?.id === "revise") {
      if (this.field.from) this.field.from.value = String(Math.max(ply, 1));
      this.field.from?.dispatchEvent(new Event("change"));
      return true;
    }
    if (this.now?.id !== "back" || !this.view?.state) return false;
    this.field.ply.value = String(Math.min(ply, this.view.state.ply - 1));
    this.look(Number(this.field.ply.value));
    return true;
  }

  /** Shows the form, to be filled in. */
  fill() {
    this.confirming = false;
    $("sheet-form").hidden = false;
    $("sheet-sure").hidden = true;
    $("sheet-back").hidden = true;
    $("sheet-next").textContent = this.now?.once ? (this.now.id === "names" ? "Save" : this.now.label) : "Next";
    $("sheet-error").hidden = true;
  }

  /** Says in words what will happen. */
  confirm() {
    const r = this.now;
    if (!r || !this.view?.state) return;
    const unfit = Object.values(this.field).find((f) => !f.checkValidity());
    if (unfit) {
      this.complain(`${unfit.labels?.[0]?.textContent}: ${unfit.validationMessage}`);
      unfit.focus();
      return;
    }
    const wrong = r.wrong?.() || (r.reason === "needed" && !this.reason().reason ? "Give a reason: it is kept with the ruling." : "");
    if (wrong) {
      this.complain(wrong);
      return;
    }
    if (!r.at) this.seq = this.view.state.seq;
    this.confirming = true;
    $("sheet-form").hidden = true;
    $("sheet-sure").hidden = false;
    $("sheet-error").hidden = true;
    const reason = this.reason().reason;
    $("sheet-words").textContent = r.words();
    $("sheet-because").textContent = reason ? `Reason: ${reason}` : "";
    $("sheet-back").hidden = false;
    $("sheet-next").textContent = "Yes, do it";
    $("sheet-sure").focus();
  }

  /** Gives the ruling. */
  async give() {
    const r = this.now;
    if (!r || !this.view?.state) return;
    if (r.once) this.seq = this.view.state.seq;
    const [name, args] = r.command();
    const reply = await this.o.order(name, args, this.seq);
    if (this.now !== r) return;
    if (reply.status === "ok") {
      this.o.say(`Done: ${r.title}.`);
      this.cancel();
      return;
    }
    if (reply.code === "stale_seq") {
      // What is filled in is still there; what it is about is looked at anew.
      if (r.id === "correct" || r.id === "back" || r.id === "revise") {
        this.open(r);
      } else {
        this.fill();
      }
      this.seq = this.view.state.seq;
      this.complain(STALE);
      return;
    }
    this.fill();
    this.complain(reply.error || "The board refused that.");
  }

  /** @param {string} text */
  complain(text) {
    $("sheet-error").textContent = text;
    $("sheet-error").hidden = false;
  }

  /** Nothing happens. @param {boolean} [stay]  the focus stays where it is */
  cancel(stay) {
    const r = this.now;
    this.now = null;
    this.confirming = false;
    $("sheet").hidden = true;
    if (!r) return;
    r.close?.();
    const button = /** @type {HTMLButtonElement} */ ($(`rule-${r.id}`));
    button.setAttribute("aria-expanded", "false");
    if (stay) return;
    if (button.hidden || button.disabled) $("console-title").focus();
    else button.focus();
  }

  // --- fields ---

  /** @param {string} id @param {string} label @param {HTMLElement} control */
  row(id, label, control) {
    const row = element("div", "row-field");
    const name = /** @type {HTMLLabelElement} */ (element("label", "", label));
    name.htmlFor = `f-${id}`;
    control.id = `f-${id}`;
    this.field[id] = /** @type {HTMLInputElement} */ (control);
    row.append(name, control);
    return row;
  }

  /** @param {string} id @param {string} label @param {string} value @param {number} most */
  input(id, label, value, most) {
    const box = /** @type {HTMLInputElement} */ (element("input"));
    box.maxLength = most;
    box.autocomplete = "off";
    box.value = value;
    return this.row(id, label, box);
  }

  /** @param {string} id @param {string} label @param {[string, string][]} options @param {string} value */
  choice(id, label, options, value) {
    const box = /** @type {HTMLSelectElement} */ (element("select"));
    box.append(
      ...options.map(([v, text]) => {
        const option = /** @type {HTMLOptionElement} */ (element("option", "", text));
        option.value = v;
        return option;
      }),
    );
    box.value = value;
    return this.row(id, label, box);
  }

  /**
   * @param {string} id @param {string} label @param {number} low @param {number} high @param {number} value
   * @param {(n: number) => void} change
   */
  plyField(id, label, low, high, value, change) {
    const box = /** @type {HTMLInputElement} */ (element("input"));
    box.type = "number";
    box.min = String(low);
    box.max = String(high);
    box.value = String(value);
    box.required = true;
    const look = () => box.checkValidity() && change(Number(box.value));
    box.addEventListener("input", look);
    box.addEventListener("change", look);
    change(value);
    return [this.row(id, label, box)];
  }

  /** Shows the position after a number of discs. @param {number} ply */
  look(ply) {
    const view = this.view;
    if (!view) return;
    const line = lineOfPly(view, ply);
    this.o.board.past({ board: positionAfter(view, line), last: view.moves[line]?.move ?? "", text: ply ? `After move ${ply}` : "At the start" });
  }

  reviseFields() {
    const view = /** @type {View} */ (this.view);
    const ply = view.state?.ply ?? 0;
    const moves = /** @type {HTMLTextAreaElement} */ (element("textarea"));
    moves.rows = 2;
    moves.maxLength = 400;
    moves.spellcheck = false;
    moves.autocapitalize = "off";
    const from = (/** @type {number} */ n) => {
      moves.value = view.moves
        .filter((m) => m.ply >= n && m.move.length === 2)
        .map((m) => m.move)
        .join(" ");
      this.look(n - 1);
    };
    return [...this.plyField("from", "From move", 1, ply + 1, Math.max(ply, 1), from), this.row("moves", "The moves from there on", moves)];
  }

  resultFields() {
    const { black = 0, white = 0, empty = 0 } = this.view?.state?.score ?? {};
    const numbers = (/** @type {string} */ id, /** @type {string} */ label, /** @type {number} */ n) => {
      const row = this.input(id, label, String(n), 2);
      this.field[id].setAttribute("inputmode", "numeric");
      return row;
    };
    const fewest = this.view?.state?.variant === "reverse";
    const given = this.view?.state?.empties === "winner" ? empty : 0;
    const lead = black > white ? "black" : white > black ? "white" : "draw";
    const winner = fewest && lead !== "draw" ? other(/** @type {Color} */ (lead)) : lead;
    const rows = [
      this.choice("result", "Result", [["black", "Black wins"], ["white", "White wins"], ["draw", "Draw"], ["none", "No result"]], winner),
      numbers("black", "Discs of Black", lead === "black" ? black + given : black),
      numbers("white", "Discs of White", lead === "white" ? white + given : white),
    ];
    if (lead === "draw") {
      this.field.black.value = String(black + given / 2);
      this.field.white.value = String(white + given / 2);
    }
    this.field.result.addEventListener("change", () => {
      const none = this.field.result.value === "none";
      for (const id of ["black", "white"]) /** @type {HTMLElement} */ (this.field[id].parentElement).hidden = none;
    });
    return rows;
  }

  wrongResult() {
    const result = this.field.result.value;
    if (result === "none") return "";
    const [black, white] = ["black", "white"].map((id) => Number(this.field[id].value || NaN));
    if (![black, white].every((n) => Number.isInteger(n) && n >= 0) || black + white > 64) return "The discs are whole numbers, together at most 64.";
    const fewest = this.view?.state?.variant === "reverse";
    const more = black === white ? "draw" : black > white !== fewest ? "black" : "white";
    return more === result ? "" : `${black} to ${white} is not what ${result === "draw" ? "a draw" : `${capital(result)} winning`} looks like: correct one of them.`;
  }

  clockFields() {
    const shared = this.view?.timing?.shared;
    const timed = /** @type {Color[]} */ (["black", "white"]).filter((c) => this.o.clocks.timed(c));
    const sides = /** @type {[string, string][]} */ (timed.map((c) => [c, capital(c)]));
    if (timed.length === 2) sides.push(["both", "Both"]);
    return [
      this.choice("side", "Whose clock", shared ? [["black", "The game's"]] : sides, shared ? "black" : sides[0][0]),
      this.choice("how", "What", [["give", "Give more time"], ["take", "Take time away"], ["set", "Set the time to"]], "give"),
      this.input("time", "Time (minutes:seconds)", "2:00", 8),
    ];
  }

  /** The main times that the clocks are to have, in ms. @returns {[Color, number][]} */
  newTimes() {
    const ms = readTime(this.field.time?.value ?? "") ?? 0;
    const side = this.field.side?.value;
    const colors = /** @type {Color[]} */ (side === "both" ? ["black", "white"] : [side]);
    return colors.map((color) => {
      const { left, periods, length, period } = this.o.clocks.shown(color);
      const main = period || (periods && !length) ? 0 : left;
      const how = this.field.how?.value;
      return [color, Math.max(Math.round(how === "set" ? ms : how === "give" ? main + ms : main - ms), 0)];
    });
  }

  clockWords() {
    const amount = clockWords(readTime(this.field.time.value) ?? 0);
    const how = this.field.how.value;
    const shared = this.view?.timing?.shared;
    return this.newTimes()
      .map(([color, ms]) => {
        const who = shared ? "The game" : capital(color);
        const what = how === "set" ? `has ${amount} from now on` : how === "give" ? `gets ${amount} more` : `loses ${amount}`;
        return `${who} ${what}${how === "set" ? "" : `: about ${clockText(ms, ms === 0)}`}.`;
      })
      .join(" ");
  }

  // --- the position ---

  /** @param {string[]|null} squares */
  edit(squares) {
    this.edited = squares;
    this.o.board.edit(squares, (square) => {
      if (!this.edited || this.confirming) return;
      const at = indexOf(square);
      this.edited[at] = { "-": "B", B: "W", W: "-" }[this.edited[at]] ?? "-";
      $("sheet-error").hidden = true;
      this.o.board.edit(this.edited, null);
    });
  }

  /** What lies on the squares that are asked about when the time is up. @returns {[string, string][]} */
  asked() {
    const asked = this.view?.state?.counting?.asked ?? [];
    return asked.map((s) => [s, (this.edited ?? [])[indexOf(s)] ?? "-"]);
  }

  /** The squares that are to be changed. @returns {[string, string][]} */
  changes() {
    const board = this.view?.state?.board ?? "";
    return SQUARES.flatMap((s, i) => (this.edited && this.edited[i] !== board[i] ? [/** @type {[string, string]} */ ([s, this.edited[i]])] : []));
  }
}

/** Reads 2:00, 1:30:00 or 45 (minutes); null for anything else. @param {string} text */
export function readTime(text) {
  const parts = text.trim().split(":");
  if (parts.length > 3 || !parts.every((p) => /^\d{1,3}$/.test(p))) return null;
  const n = parts.map(Number);
  if (n.slice(1).some((p) => p > 59)) return null;
  const seconds = n.length === 1 ? n[0] * 60 : n.reduce((sum, p) => sum * 60 + p, 0);
  return seconds * 1000;
}
