// Everything beside the board: score, sentence, problems, moves, controls.

import { $, capital, element, newID, post } from "./model.js";
import { wrongWith } from "./past.js";
import { onTime } from "./say.js";

/**
 * @typedef {import("./model.js").View} View
 * @typedef {import("./model.js").Card} Card
 * @typedef {import("./model.js").Color} Color
 */

/** The name of each game, and what is special about it. */
const VARIANTS = /** @type {Record<string, [string, string]>} */ ({
  classic: ["Classic", "Most discs win."],
  reverse: ["Reverse", "The same moves, but fewest discs win."],
  historic: ["Historic", "The board is empty. The first four discs go in the middle, in turn. 32 discs each."],
  "white-first": ["White begins", "Classic, but White makes the first move."],
  festival: ["Festival", "Played like Classic."],
  custom: ["Own start", "Classic, from a start of your own."],
});

/** What a level is like, for those that stand for something. */
const LEVELS = /** @type {Record<string, string>} */ ({
  1: "1, a child can win",
  4: "4, at home",
  7: "7, at a club",
  10: "10, as strong as it can",
});

const PROFILES = /** @type {Record<string, string>} */ ({
  home: "At home",
  club: "At a club",
  woc: "World Championship",
  jof: "Japan Othello Federation",
  festival: "Children's festival",
});

/** The ways to time a game that are offered, besides those typed. */
const CLOCKS = [
  ["none", "No clocks"],
  ["5:00", "5 minutes each"],
  ["10:00", "10 minutes each"],
  ["25:00", "25 minutes each"],
  ["30:00", "30 minutes each"],
  ["5:00/3", "5 minutes, 3 seconds more a move"],
  ["10:00/10", "10 minutes, 10 seconds more a move"],
  ["10:00+3x0:30", "10 minutes, then 3 × 30 seconds"],
  ["game 20:00", "20 minutes for the whole game"],
];

export class Panel {
  /** @param {(text: string) => void} complain */
  constructor(complain) {
    this.complain = complain;
    /** @type {View|null} */
    this.view = null;
    /** How the connection is. @type {{link: string, silent: number}|null} */
    this.linked = null;
    /** Who looks at the page. @type {import("./model.js").You|null} */
    this.you = null;
    this.listed = "";
    this.asked = " ";
    /** The line of the move list whose position is shown. @type {number|null} */
    this.chosen = null;
    /** Shows the position after a line. @type {(line: number|null) => void} */
    this.look = () => {};
    this.list();
    $("agree").addEventListener("click", () => this.command("agree", {}, false));
    $("decline").addEventListener("click", () => this.command("decline", {}, false));
    $("clock").addEventListener("change", () => this.choices());
    $("profile").addEventListener("change", () => this.choices());
    $("undo").addEventListener("click", () => this.command("undo", { plies: this.back() }, true));
    $("hint").addEventListener("click", () => this.command("hint", {}, true));
    $("evaluate").addEventListener("click", () => this.command("evaluate", { on: !this.view?.evaluating }, false));
    $("rival").addEventListener("change", () => this.choices());
    $("rival-side").addEventListener("change", () => this.choices());
    $("identify").addEventListener("click", () => this.command("identify", {}, false));
    $("new").addEventListener("click", () => this.ask());
    $("new-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.begin();
    });
    $("variant").addEventListener("change", () => this.choices());
    $("start").addEventListener("change", () => {
      this.choices();
      if (input("start").value === "own") $("own").focus();
    });
    $("new-cancel").addEventListener("click", () => /** @type {HTMLDialogElement} */ ($("new-game")).close(""));
    $("copy").addEventListener("click", () => this.copy());
  }

  /**
   * @param {string} name @param {object} args
   * @param {boolean} sure  only if nothing has happened since the visitor looked
   */
  async command(name, args, sure) {
    const refused = await this.order(name, args, sure);
    if (refused) this.complain(refused);
  }

  /**
   * Sends a command and returns why it was refused, "" if it was not.
   * @param {string} name @param {object} args @param {boolean} sure
   */
  async order(name, args, sure) {
    const reply = await this.send(name, args, sure && this.view?.state ? this.view.state.seq : null);
    if (reply.code === "stale_seq") return "The board has moved on since you looked: look again, then press once more.";
    return reply.status === "ok" ? "" : reply.error || "The board refused that.";
  }

  /**
   * Sends a command about a state and returns the answer.
   * @param {string} name @param {object} args @param {number|null} seq  the state it is about, null for any
   */
  send(name, args, seq) {
    return post("/api/v1/command", { name, args, id: newID(), ...(seq === null ? {} : { if_seq: seq }) });
  }

  /** Makes the move list something to walk through. */
  list() {
    const list = $("moves");
    list.addEventListener("click", (e) => {
      const line = [...list.children].indexOf(/** @type {Element} */ ((/** @type {Element} */ (e.target)).closest(".move") ?? list));
      if (line >= 0) this.look(line === this.chosen ? null : line);
    });
    list.addEventListener("keydown", (e) => {
      const last = (this.view?.moves.length ?? 0) - 1;
      const at = this.chosen ?? last + 1;
      const to = { ArrowUp: at - 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowRight: at + 1, Home: 0, End: last + 1, Escape: last + 1 }[e.key];
      if (to === undefined || last < 0) return;
      e.preventDefault();
      this.look(to > last ? null : Math.max(to, 0));
    });
  }

  /** Marks the line whose position is shown. @param {number|null} line */
  choose(line) {
    this.chosen = line;
    const list = $("moves");
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === line)));
    if (line === null) list.removeAttribute("aria-activedescendant");
    else {
      list.setAttribute("aria-activedescendant", `move-${line}`);
      list.children[line]?.scrollIntoView({ block: "nearest" });
    }
  }

  /**
   * How many moves an undo takes back: one's own comes with the answer of the
   * computer, which would only give it again.
   */
  back() {
    const { state, opponent } = this.view ?? {};
    return opponent && state && state.ply > 1 && state.last?.by === opponent.side && state.turn !== opponent.side ? 2 : 1;
  }

  /** @param {Card} card */
  introduce(card) {
    fill("level", [...Array(10).keys()].map((i) => String(i + 1)), LEVELS);
    if (card.opponent && !document.querySelector('#rival [value="set"]')) {
      const option = /** @type {HTMLOptionElement} */ (element("option", "", card.opponent));
      option.value = "set";
      $("rival").append(option);
    }
    $("name").textContent = card.name;
    document.title = card.name;
    fill("variant", card.variants ?? ["classic"], Object.fromEntries(Object.entries(VARIANTS).map(([v, [name]]) => [v, name])));
    fill("profile", card.profiles ?? [], PROFILES);
    this.clocks = card.clocks ?? {};
    fill("clock", ["auto", ...CLOCKS.map(([text]) => text), "sides", "own"], { auto: "As the rules say", sides: "Different for each…", own: "Your own…", ...Object.fromEntries(CLOCKS) });
    const choice = (card.profiles ?? []).length > 1;
    $("profile").hidden = $("profile-label").hidden = !choice;
  }

  ask() {
    const state = this.view?.state;
    const dialog = /** @type {HTMLDialogElement} */ ($("new-game"));
    if (state) {
      input("variant").value = state.variant || input("variant").value;
      if ([...document.querySelectorAll("#profile option")].some((o) => /** @type {HTMLOptionElement} */ (o).value === state.profile)) input("profile").value = state.profile;
      input("black").value = this.named("black");
      input("white").value = this.named("white");
    }
    const rival = this.view?.opponent;
    input("rival").value = rival ? (rival.kind === "builtin" ? "builtin" : "set") : "none";
    input("level").value = String(rival?.level ?? 4);
    input("rival-side").value = rival?.side ?? "white";
    if (rival) input(rival.side).value = "";
    this.recall();
    this.recallClock();
    this.choices();
    $("new-error").hidden = true;
    $("new-warn").hidden = !(state && (state.phase === "playing" || state.phase === "paused") && state.ply > 0);
    dialog.showModal();
  }

  /** Offers the start of the game that is on. */
  recall() {
    const { start = "", first = "" } = this.view ?? {};
    const names = [...document.querySelectorAll("#start option")].map((o) => /** @type {HTMLOptionElement} */ (o).value);
    const known = /^-*$/.test(start) ? "standard" : names.find((name) => startBoard(name) === start);
    const side = { black: "X", white: "O" }[first] ?? "X";
    input("start").value = known ?? "own";
    input("own").value = known ? "" : `${start.replaceAll("B", "X").replaceAll("W", "O")} ${side}`;
    const usual = known?.startsWith("handicap") || input("variant").value === "white-first" ? "white" : "black";
    input("first").value = known && first && first !== usual ? first : "auto";
  }

  /** Offers the time control of the game that is on. */
  recallClock() {
    const text = this.view?.timing?.text ?? "none";
    const usual = this.clocks?.[input("profile").value];
    const known = CLOCKS.some(([c]) => c === text);
    input("clock").value = usual === undefined || text === usual ? "auto" : known ? text : "own";
    input("clock-own").value = input("clock").value === "own" ? text : "";
  }

  /** The time control that was chosen, "" for that of the rules. */
  timing() {
    switch (input("clock").value) {
      case "auto":
        return "";
      case "sides":
        return `black ${input("clock-for-black").value.trim() || "none"}, white ${input("clock-for-white").value.trim() || "none"}`;
      case "own":
        return input("clock-own").value.trim();
      default:
        return input("clock").value;
    }
  }

  /** Shows what goes with the chosen game and start. */
  choices() {
    const how = input("clock").value;
    const usual = this.clocks?.[input("profile").value];
    const auto = document.querySelector('#clock [value="auto"]');
    if (auto) auto.textContent = usual === undefined ? "As the rules say" : `As the rules say: ${CLOCKS.find(([text]) => text === usual)?.[1].toLowerCase() ?? usual}`;
    $("clock-own-row").hidden = how !== "own";
    $("clock-sides-row").hidden = how !== "sides";
    /** @type {HTMLInputElement} */ ($("clock-own")).required = how === "own";
    const variant = input("variant").value;
    $("variant-says").textContent = VARIANTS[variant]?.[1] ?? "";
    $("start-row").hidden = variant === "historic";
    $("own-row").hidden = variant === "historic" || input("start").value !== "own";
    /** @type {HTMLInputElement} */ ($("own")).required = !$("own-row").hidden;
    const computer = input("rival").value === "builtin";
    $("rival-row").hidden = !computer;
    // The computer has a name of its own.
    for (const color of ["black", "white"]) {
      $(color).hidden = $(`${color}-label`).hidden = computer && input("rival-side").value === color;
    }
  }

  /** Asks for the game; the dialog stays open with the reason if it cannot be. */
  async begin() {
    const profile = input("profile").value;
    const start = $("start-row").hidden ? "standard" : $("own-row").hidden ? input("start").value : input("own").value.trim();
    const refused = await this.order(
      "new",
      {
        variant: input("variant").value,
        ...(start !== "standard" ? { start } : {}),
        ...(input("first").value !== "auto" ? { first: input("first").value } : {}),
        ...(profile ? { profile } : {}),
        ...(this.timing() ? { clock: this.timing() } : {}),
        ...this.rival(),
        players: { black: input("black").value.trim(), white: input("white").value.trim() },
      },
      true,
    );
    $("new-error").textContent = refused;
    $("new-error").hidden = !refused;
    if (!refused) /** @type {HTMLDialogElement} */ ($("new-game")).close();
  }

  /** The opponent that was chosen; the settings' own one needs no word. */
  rival() {
    switch (input("rival").value) {
      case "set":
        return {};
      case "builtin":
        return { opponent: { kind: "builtin", level: Number(input("level").value), side: input("rival-side").value } };
      default:
        return { opponent: { kind: "none" } };
    }
  }

  /** @param {View} view @param {import("./model.js").You|null} you */
  show(view, you) {
    this.view = view;
    const late = this.you?.delay_s;
    this.you = you;
    if (this.linked && late !== you?.delay_s) this.link(this.linked.link, this.linked.silent);
    const state = view.state;
    $("sentence").textContent = view.sentence || "Waiting for the board.";
    this.alerts(view);
    this.question(view);
    this.links(view);
    if (!state) return;
    // When the time was up, what lay there counts, and not what is on record.
    const { black, white } = (state.phase === "over" && state.result?.time_up && state.result.discs) || state.score;
    this.player("black", black);
    this.player("white", white);
    this.rule();
    $("balance").style.setProperty("--black", String(black));
    $("balance").style.setProperty("--white", String(white));
    /** @type {HTMLButtonElement} */ ($("undo")).disabled = state.ply === 0 || state.phase === "setup" || state.phase === "idle";
    this.controls(view);
    const hint = /** @type {HTMLButtonElement} */ ($("hint"));
    hint.disabled = state.phase !== "playing" || state.step !== "to_move" || view.opponent?.side === state.turn;
    document.body.dataset.phase = state.phase;
    this.moves(view);
  }

  /** What the visitor may press. @param {View} view */
  controls(view) {
    const state = /** @type {import("./model.js").State} */ (view.state);
    const role = this.you?.role ?? "arbiter";
    const both = this.you?.login === true;
    $("controls").hidden = role === "viewer";
    $("new").hidden = $("identify").hidden = role !== "arbiter";
    $("hint").hidden = state.hints !== "on" || (role === "arbiter" && both);
    $("locked").hidden = state.hints !== "locked";
    $("undo").textContent = role === "player" ? "Ask to take back" : "Undo";
    // Who rules takes moves back in the console, where it is said what happens.
    $("undo").hidden = role === "arbiter" && both;
    const wish = view.takeback;
    const mine = role === "player" && this.you?.seat !== "" && this.you?.seat === wish?.by;
    const by = wish?.by ? capital(wish.by) : "A player";
    const what = wish?.plies === 1 ? "the last move" : `${wish?.plies} moves`;
    $("takeback").hidden = !wish;
    const text = wish ? `${by} asks to take back ${what}.${mine ? " The other player has half a minute to agree." : ""}` : "";
    if ($("takeback-text").textContent !== text) $("takeback-text").textContent = text;
    $("agree").hidden = mine || role === "viewer";
    $("decline").hidden = role === "viewer";
    $("decline").textContent = mine ? "Never mind" : "No";
  }

  /** What is special about the game, where the score is. */
  rule() {
    const { variant = "", hand = null } = this.view?.state ?? {};
    const rule = $("rule");
    rule.hidden = !["reverse", "historic", "festival"].includes(variant);
    if (variant === "reverse") rule.replaceChildren("Reverse: ", element("b", "", "fewest discs win"));
    if (variant === "festival") rule.replaceChildren("Festival");
    if (variant === "historic") {
      const left = (/** @type {number} */ n) => element("b", "", String(n));
      rule.replaceChildren("Historic, discs left: Black ", left(hand?.black ?? 32), ", White ", left(hand?.white ?? 32));
    }
  }

  /**
   * Who plays a color, "" when nobody has said so: players without a name are
   * called by their color.
   * @param {Color} color
   */
  named(color) {
    const name = this.view?.state?.players?.[color] ?? "";
    return name.toLowerCase() === color ? "" : name;
  }

  /** @param {Color} color @param {number} count */
  player(color, count) {
    const state = this.view?.state;
    const card = $(`player-${color}`);
    const name = this.named(color);
    const turn = state?.turn === color && state.phase !== "over" && !state.counting;
    const won = state?.phase === "over" && state.result?.result === color;
    const result = state?.result;
    const how = { resign: " by resignation", flag: result && onTime(result) ? " on time" : "", adjudicated: " by decision" }[result?.reason ?? ""] ?? "";
    const [own, other] = color === "black" ? [result?.black, result?.white] : [result?.white, result?.black];
    const score = typeof own === "number" ? ` ${own} to ${other}` : "";
    card.classList.toggle("turn", turn);
    card.classList.toggle("won", won);
    part(card, ".color").textContent = name || capital(color);
    part(card, ".person").textContent = [name ? capital(color) : "", turn ? "to move" : won ? `wins${score}${how}` : ""].filter(Boolean).join(", ");
    part(card, ".count").textContent = String(count);
    part(card, ".count").setAttribute("aria-label", `${count} ${color} discs`);
  }

  /** @param {View} view */
  alerts(view) {
    const list = $("alerts");
    const alerts = view.alerts ?? [];
    list.hidden = alerts.length === 0;
    list.replaceChildren(
      ...alerts.map((a) => {
        const item = element("li", `alert ${["info", "warn", "error"].includes(a.severity) ? a.severity : "warn"}`);
        item.append(element("span", "vh", `${a.severity}: `), element("span", "", a.text));
        if (a.squares?.length && !a.squares.every((s) => a.text.includes(s))) item.append(element("span", "where", a.squares.join(" ")));
        return item;
      }),
    );
  }

  /** Asks what only people can know. @param {View} view */
  question(view) {
    const { text = "", squares = [] } = view.question ?? {};
    const asked = `${text} ${squares}`;
    if (asked === this.asked) return;
    this.asked = asked;
    $("question").hidden = squares.length === 0;
    $("question-text").textContent = text;
    $("answers").replaceChildren(
      ...squares.map((square) => {
        const button = element("button", "", squares.length === 1 ? "Yes, there" : `On ${square}`);
        button.setAttribute("type", "button");
        button.addEventListener("click", () => this.command("confirm", { square }, true));
        return button;
      }),
    );
  }

  /** @param {View} view */
  links(view) {
    $("links").textContent = Object.entries(view.connections ?? {})
      .map(([name, state]) => `${name} ${state}`)
      .join(" · ");
  }

  /** @param {View} view */
  moves(view) {
    const text = JSON.stringify(view.moves);
    $("transcript").textContent = view.state?.transcript ?? "";
    $("transcript-row").hidden = !view.state?.transcript;
    $("no-moves").hidden = view.moves.length > 0;
    $("moves").hidden = view.moves.length === 0;
    if (text === this.listed) return;
    this.listed = text;
    const list = $("moves");
    list.replaceChildren(
      ...view.moves.map((m, i) => {
        const square = m.move.length === 2;
        const wrong = wrongWith(m);
        const item = element("li", `move${square ? "" : ` ${m.move}`}${wrong ? " odd" : ""}`);
        item.id = `move-${i}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const mini = element("span", m.by ? `mini ${m.by}` : "");
        mini.setAttribute("aria-hidden", "true");
        item.append(
          element("span", "ply", square ? String(m.ply) : "–"),
          mini,
          element("span", "vh", capital(m.by)),
          element("span", "to", m.move === "set" ? "position set" : m.move),
          element("span", "turned", m.flipped ? `+${m.flipped}` : ""),
        );
        if (wrong) item.append(element("span", "astray", wrong));
        item.title = `${m.black} – ${m.white}`;
        return item;
      }),
    );
    list.scrollTop = list.scrollHeight;
    // What is looked at may be gone from the record.
    if (this.chosen !== null) this.look(this.chosen < view.moves.length ? this.chosen : null);
  }

  async copy() {
    const button = $("copy");
    const text = $("transcript").textContent ?? "";
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Plain http in a local network has no clipboard; a selection has.
      const range = document.createRange();
      range.selectNodeContents($("transcript"));
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  }

  /**
   * How far what the page shows can be trusted.
   * @param {import("./stream.js").Link} link @param {number} silent ms
   */
  link(link, silent) {
    const seconds = Math.round(silent / 1000);
    const old = seconds >= 5 ? ` ${seconds} s` : "";
    $("link").dataset.state = link;
    document.body.dataset.link = link;
    this.linked = { link, silent };
    const late = this.you?.delay_s ?? 0;
    const live = late ? `Delayed ${late % 60 ? `${late} s` : `${late / 60} min`}` : "Live";
    const text = { connecting: "Connecting", live, stale: `Stale${old}, reconnecting`, offline: `Offline${old}, trying again` }[link];
    if ($("link-text").textContent !== text) $("link-text").textContent = text;
  }
}

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement|HTMLSelectElement} */ ($(id));

/** The 64 squares of a start with a name, "" for one without. @param {string} name */
function startBoard(name) {
  const middle = { standard: "WBBW", parallel: "BBWW", inverted: "BWWB" }[name] ?? (name.startsWith("handicap") ? "WBBW" : "");
  if (!middle) return "";
  const board = Array(64).fill("-");
  [27, 28, 35, 36].forEach((at, i) => (board[at] = middle[i]));
  for (const corner of [0, 63, 7, 56].slice(0, Number(name.split("-")[1] ?? 0))) board[corner] = "B";
  return board.join("");
}

/** @param {Element} e @param {string} selector */
const part = (e, selector) => /** @type {HTMLElement} */ (e.querySelector(selector));

/** @param {string} id @param {string[]} values @param {Record<string, string>} names */
function fill(id, values, names) {
  $(id).replaceChildren(
    ...values.map((v) => {
      const option = /** @type {HTMLOptionElement} */ (element("option", "", names[v] ?? v));
      option.value = v;
      return option;
    }),
  );
}
