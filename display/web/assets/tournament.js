// The tournament: the games of a round, the table, and what an arbiter does.

import { $, capital, element, post } from "./model.js";
import { Stream } from "./stream.js";

/**
 * @typedef {{number: number, name: string, lot?: number}} Player
 * @typedef {{winner: string, black_discs: number, white_discs: number, black_score: number, white_score: number, reason: string, note?: string, game?: string, board?: string, entered: string, at: string}} Result
 * @typedef {{id: string, table: number, black: Player, white: Player|null, bye: boolean, colors_by?: string, result: Result|null, playing?: string, contradicted?: Result}} Seat
 * @typedef {{place: number, number: number, name: string, club?: string, rating?: number, lot?: number, withdrawn?: number, games: number, wins: number, draws: number, losses: number, byes: number, points: string, discs: number, against: number, difference: number, brightwell: string}} Line
 * @typedef {{round?: number, table?: number, at: string, by: string, what: string, old?: string, new?: string, reason?: string}} Change
 * @typedef {object} Sheet
 * @property {string} id @property {string} name @property {string} day @property {string} place
 * @property {"swiss"|"round-robin"|"festival"|"free"} system
 * @property {string} variant @property {string} profile @property {string} clock
 * @property {string[]|null} breaks @property {number} factor @property {"balanced"|"lots"} colors
 * @property {"waiting"|"running"|"complete"} status
 * @property {number} round @property {number} total_rounds
 * @property {boolean} fewest
 * @property {string} next_refusal
 * @property {number} [ended] @property {string} warning @property {boolean} stuck @property {Player[]} unpaired
 * @property {Line[]} standings
 * @property {{round: number, tables: Seat[]}[]} pairings
 * @property {Change[]} changes
 * @property {Player[]} byes
 * @typedef {{list: {id: string, name: string, day: string}[], sheet: Sheet|null, error: string, board: string, variants: string[], profiles: string[]}} View
 */

const asked = new URLSearchParams(location.search).get("id") ?? "";

/** @type {View|null} */
let view = null;
let may = false;
/** The round that is shown; 0 follows the newest. */
let shownRound = 0;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let fade;

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ ($(id));
/** @param {string} id */
const dialog = (id) => /** @type {HTMLDialogElement} */ ($(id));
/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ ($(id));

/** Changes a text only if it differs: readers of the screen hear of changes. @param {Element} e @param {string} text */
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

/** @param {string} text */
const sentence = (text) => capital(text) + (/[.!?…]$/.test(text) ? "" : ".");

/** @param {string} text */
function complain(text) {
  write($("notice"), sentence(text));
  $("notice").hidden = false;
  clearTimeout(fade);
  fade = setTimeout(() => ($("notice").hidden = true), 10000);
}

/** Asks for something; what is wrong with it is said in error, or above. @param {object} what @param {string} [error] */
async function act(what, error) {
  const answer = await post("/api/v1/tournament", { id: view?.sheet?.id ?? "", ...what });
  if (answer.status === "ok") return true;
  const text = answer.error ?? "The board refused.";
  if (!error) complain(text);
  else {
    write($(error), sentence(text));
    $(error).hidden = false;
  }
  return false;
}

/** Opens a dialog without what was said in it before. @param {string} id */
function open(id) {
  $(`${id}-error`).hidden = true;
  dialog(id).showModal();
}

for (const b of document.querySelectorAll("[data-close]")) b.addEventListener("click", () => b.closest("dialog")?.close());

/** Does something when a form is sent, and closes its dialog if that went well. @param {string} id @param {() => Promise<boolean>} send */
function onSend(id, send) {
  $(`${id}-form`).addEventListener("submit", async (e) => {
    e.preventDefault();
    if (await send()) dialog(id).close();
  });
}

/** What the question is about. @type {() => object} */
let question = () => ({});

/** Asks before something is done. @param {string} title @param {string} text @param {string} yes @param {"needed"|"optional"|"none"} reason @param {() => object} what */
function ask(title, text, yes, reason, what) {
  write($("ask-title"), title);
  write($("ask-text"), text);
  write($("ask-yes"), yes);
  $("ask-reason-row").hidden = reason === "none";
  input("ask-reason").value = "";
  input("ask-reason").required = reason === "needed";
  question = what;
  open("ask");
}
onSend("ask", () => act({ ...question(), reason: input("ask-reason").value.trim() || undefined }, "ask-error"));

// --- results ------------------------------------------------------------------

/** @type {{round: number, seat: Seat, correct: boolean}|null} */
let entering = null;

/** @param {number} round @param {Seat} seat */
function enter(round, seat) {
  const old = seat.result;
  entering = { round, seat, correct: old !== null };
  write($("enter-title"), `${old ? "Correct the result" : "Result"}, table ${seat.table}`);
  write($("enter-black-label"), `Black: ${seat.black.name}`);
  write($("enter-white-label"), `White: ${seat.white?.name ?? ""}`);
  $("enter-old").hidden = !old;
  if (old) write($("enter-old"), `Now: ${words(old)}. It is kept with the correction.`);
  const suggested = seat.contradicted ?? old;
  input("enter-black").value = suggested ? String(suggested.black_discs) : "";
  input("enter-white").value = suggested ? String(suggested.white_discs) : "";
  input("enter-ending").value = suggested && suggested.reason !== "wipeout" ? suggested.reason : "no_moves";
  const byDiscs = !suggested || suggested.reason === "no_moves" || suggested.reason === "wipeout";
  input("enter-winner").value = byDiscs ? "" : (suggested?.winner ?? "");
  input("enter-black-score").value = byDiscs ? "" : String(suggested?.black_score);
  input("enter-white-score").value = byDiscs ? "" : String(suggested?.white_score);
  input("enter-reason").value = "";
  input("enter-reason").required = old !== null;
  write($("enter-reason-label"), old ? "Reason" : "Remark (optional)");
  endings();
  open("enter");
}

/** Shows the fields that an ending needs. */
function endings() {
  const declared = input("enter-ending").value !== "no_moves";
  $("enter-declared").hidden = !declared;
  const winner = input("enter-winner").value;
  $("enter-scores").hidden = !declared || winner === "" || winner === "none";
  for (const id of ["enter-black-score", "enter-white-score"]) input(id).required = !$("enter-scores").hidden;
}
$("enter-ending").addEventListener("change", endings);
$("enter-winner").addEventListener("change", endings);

onSend("enter", async () => {
  if (!entering) return true;
  const declared = input("enter-ending").value !== "no_moves" && input("enter-winner").value !== "";
  const scores = declared && !$("enter-scores").hidden;
  return act(
    {
      do: entering.correct ? "correct" : "result",
      round: entering.round,
      table: entering.seat.table,
      black_discs: Number(input("enter-black").value),
      white_discs: Number(input("enter-white").value),
      ending: input("enter-ending").value,
      declared,
      winner: declared ? input("enter-winner").value : undefined,
      black_score: scores ? Number(input("enter-black-score").value) : undefined,
      white_score: scores ? Number(input("enter-white-score").value) : undefined,
      reason: input("enter-reason").value.trim() || undefined,
    },
    "enter-error",
  );
});

/** @param {Result} r */
function words(r) {
  if (r.winner === "none") return "no result";
  let text = `${r.black_score}–${r.white_score}`;
  if (r.black_discs !== r.black_score || r.white_discs !== r.white_score) text += ` (discs ${r.black_discs}–${r.white_discs})`;
  text += r.winner === "draw" ? ", draw" : `, ${r.winner} wins`;
  return text + ({ resign: ", given up", flag: ", on time", adjudicated: ", declared" }[r.reason] ?? "");
}

// --- games --------------------------------------------------------------------

/** @param {Player} player @param {"black"|"white"} color @param {boolean} won @param {boolean} lots */
function side(player, color, won, lots) {
  const e = element("div", `side-of${color === "white" ? " is-white" : ""}${won ? " won" : ""}`);
  e.append(element("span", "chip"), element("span", "vh", color === "white" ? "White: " : "Black: "), element("span", "name", player.name));
  if (lots && player.lot) e.append(element("span", "lot", `lot ${player.lot}`));
  return e;
}

/** @param {string} text @param {() => void} press @param {string} label */
function small(text, press, label) {
  const b = /** @type {HTMLButtonElement} */ (element("button", "", text));
  b.type = "button";
  b.setAttribute("aria-label", label);
  b.addEventListener("click", press);
  return b;
}

/** What is to be said of a game beside its discs. @param {number} round @param {Seat} seat */
function remark(round, seat) {
  const r = seat.result;
  if (!r) return seat.playing ? `Being played on ${seat.playing}` : "To be played";
  const parts = [];
  if (r.winner === "none") parts.push("no result");
  if (r.black_discs !== r.black_score || r.white_discs !== r.white_score) parts.push(`discs ${r.black_discs}–${r.white_discs}`);
  const how = { resign: "given up", flag: "on time", adjudicated: "declared" }[r.reason];
  if (how) parts.push(how);
  if (r.note) parts.push(r.note);
  parts.push(r.entered === "board" ? `from ${r.board}` : "entered by hand");
  const before = view?.sheet?.changes.findLast((c) => c.what === "corrected" && c.round === round && c.table === seat.table);
  if (before) parts.push(`corrected, it was ${before.old}`);
  return capital(parts.join(", "));
}

/** @param {Sheet} s @param {number} round @param {Seat} seat */
function seatOf(s, round, seat) {
  const e = element("li", "seat");
  const lots = s.colors === "lots";
  if (seat.bye || !seat.white) {
    e.append(element("span", "at", "–"), side(seat.black, "black", false, lots), element("span", "discs-of", "bye"));
    e.querySelector(".chip")?.remove();
    e.querySelector(".vh")?.remove();
    return e;
  }
  const white = seat.white;
  const r = seat.result;
  e.dataset.state = r ? "over" : seat.playing ? "playing" : "open";
  const at = element("span", "at", String(seat.table));
  at.setAttribute("aria-label", `Table ${seat.table}`);
  const count = (/** @type {number|undefined} */ n) => element("span", "discs-of", r && r.winner !== "none" ? String(n) : "");
  const more = element("div", "more");
  more.append(element("span", "words", remark(round, seat)));
  if (seat.contradicted) more.append(element("span", "words differs", `The board says ${words(seat.contradicted)}`));
  if (may) more.append(...buttons(s, round, seat, white));
  e.append(
    at,
    side(seat.black, "black", r?.winner === "black", lots),
    count(r?.black_score),
    side(white, "white", r?.winner === "white", lots),
    count(r?.white_score),
    more,
  );
  return e;
}

/** What an arbiter may do with a game. @param {Sheet} s @param {number} round @param {Seat} seat @param {Player} white */
function buttons(s, round, seat, white) {
  const where = `table ${seat.table}`;
  if (seat.result) {
    const list = [small("Correct…", () => enter(round, seat), `Correct the result of ${where}`)];
    if (round === s.round && !s.ended) {
      const text = `${seat.black.name} and ${white.name}: ${words(seat.result)}. It is kept among the changes.`;
      const undo = () => ask("Take the result back", text, "Take it back", "needed", () => ({ do: "reopen", round, table: seat.table }));
      list.push(small("Take back…", undo, `Take the result of ${where} back`));
    }
    return list;
  }
  const list = [];
  if (!seat.playing || seat.playing === view?.board) {
    list.push(
      small(
        "Play here…",
        () =>
          ask(
            `Play table ${seat.table} at this board`,
            `${seat.black.name} has black, ${white.name} has white. A game that is running here ends without a result. Then lay out the start position.`,
            "Start",
            "none",
            () => ({ do: "start", round, table: seat.table }),
          ),
        `Play ${where} at this board`,
      ),
    );
  }
  if (!seat.playing && s.colors === "lots") {
    list.push(
      small(
        "Exchange colors…",
        () =>
          ask("Exchange the colors", `The players agree that ${white.name} has black.`, "Exchange", "none", () => ({
            do: "colors",
            round,
            table: seat.table,
            black: white.number,
            by: "agreement",
          })),
        `Exchange the colors of ${where}`,
      ),
      small("Draw colors", () => act({ do: "colors", round, table: seat.table, by: "draw" }), `Draw who has black at ${where}`),
    );
  }
  list.push(small("Result…", () => enter(round, seat), `Enter the result of ${where}`));
  return list;
}

/** @param {Sheet} s */
function showGames(s) {
  const round = shownRound > 0 && shownRound <= s.round ? shownRound : s.round;
  write($("games-title"), round ? `Round ${round}` : "Games");
  $("tabs").replaceChildren(
    ...s.pairings.map((r) => {
      const b = small(String(r.round), () => ((shownRound = r.round === s.round ? 0 : r.round), showGames(s)), `Round ${r.round}`);
      b.setAttribute("aria-pressed", String(r.round === round));
      return b;
    }),
  );
  $("tabs").hidden = s.pairings.length < 2;
  const seats = s.pairings.find((r) => r.round === round)?.tables ?? [];
  $("seats").replaceChildren(...seats.map((seat) => seatOf(s, round, seat)));
  $("no-seats").hidden = seats.length > 0;
  write($("no-seats"), s.standings.length ? "No round has been paired yet." : "There are no players yet.");
  const free = s.system === "free";
  $("pairing").hidden = !may;
  $("pair").hidden = free || s.status === "complete";
  button("pair").disabled = s.next_refusal !== "";
  write($("pair"), s.round ? `Pair round ${Math.min(s.round + 1, s.total_rounds)}` : "Pair round 1");
  const last = s.pairings.at(-1);
  const unplayed = last?.tables.some((t) => !t.bye && !t.result) ?? false;
  $("match").hidden = s.system === "round-robin" || !!s.ended || (!free && s.status === "complete");
  $("again").hidden = !s.stuck;
  $("plan").hidden = s.system === "round-robin" || !!s.ended;
  $("end").hidden = !last || unplayed || !goesOn(s);
  $("continue").hidden = !s.ended;
  $("unpair").hidden = !last || !!s.ended || last.tables.some((t) => !t.bye && (t.result || t.playing));
  const says = [];
  if (s.unpaired.length) says.push(`Not paired in this round: ${s.unpaired.map((p) => p.name).join(", ")}.`);
  if (s.next_refusal && !s.stuck && !free && s.status !== "complete") says.push(sentence(s.next_refusal.replace(/: the round cannot be paired$/, "")));
  if (s.warning && s.round) says.push(sentence(s.warning));
  $("pair-says").hidden = !may || says.length === 0;
  write($("pair-says"), says.join(" "));
}

/** Whether rounds are to come. @param {Sheet} s */
const goesOn = (s) => !s.ended && s.round < s.total_rounds;

$("pair").addEventListener("click", () => ((shownRound = 0), act({ do: "pair" })));
$("unpair").addEventListener("click", () => ask("Take this round back", "Nobody of it may have begun to play.", "Take it back", "needed", () => ({ do: "unpair" })));
$("match").addEventListener("click", () => {
  const list = view?.sheet?.standings.filter((l) => !l.withdrawn).sort((a, b) => a.number - b.number) ?? [];
  const options = () => list.map((l) => new Option(`${l.number} ${l.name}`, String(l.number)));
  $("meet-black").replaceChildren(...options());
  $("meet-white").replaceChildren(...options(), new Option("nobody: a bye", "0"));
  const s = view?.sheet;
  input("meet-next").checked = s?.system !== "free" && s?.unpaired.length === 0;
  input("meet-reason").value = "";
  $("meet-reason-row").hidden = s?.system === "free";
  open("meet");
});
onSend("meet", () =>
  act(
    {
      do: "match",
      black: Number(input("meet-black").value),
      white: Number(input("meet-white").value),
      next: input("meet-next").checked,
      reason: input("meet-reason").value.trim() || undefined,
    },
    "meet-error",
  ),
);
$("again").addEventListener("click", () =>
  ask("Pair with rematches", "As few players as possible meet again or have a second bye.", "Pair", "needed", () => ((shownRound = 0), { do: "again" })),
);
$("end").addEventListener("click", () =>
  ask("End the tournament here", "No more rounds are played, and the table is final. It can be continued.", "End it", "needed", () => ({ do: "end" })),
);
$("continue").addEventListener("click", () =>
  ask("Continue the tournament", "The rounds that are missing can be paired again.", "Continue", "needed", () => ({ do: "continue" })),
);
$("plan").addEventListener("click", () => {
  const s = view?.sheet;
  input("rounds-number").value = String(s?.total_rounds ?? 1);
  input("rounds-number").min = String(Math.max(s?.round ?? 1, 1));
  input("rounds-reason").value = "";
  input("rounds-reason").required = !!s?.round;
  $("rounds-reason-row").hidden = !s?.round;
  open("rounds");
});
onSend("rounds", () =>
  act({ do: "rounds", rounds: Number(input("rounds-number").value), reason: input("rounds-reason").value.trim() || undefined }, "rounds-error"),
);

// --- the table ----------------------------------------------------------------

/** The words for what orders the table. @param {Sheet} s */
function order(s) {
  const names = /** @type {Record<string, string>} */ ({
    points: "points",
    discs: "discs",
    difference: "disc difference",
    brightwell: `Brightwell quotient (BQ, c = ${s.factor})`,
    "head-to-head": "games between equals",
  });
  const breaks = s.breaks ?? [];
  const list = breaks.includes("points") ? breaks : ["points", ...breaks];
  return `Ordered by ${list.map((b) => names[b] ?? b).join(", then ")}.${s.fewest ? " The fewest discs win." : ""}`;
}

/** @param {Sheet} s */
function showTable(s) {
  $("rows").replaceChildren(
    ...s.standings.map((l) => {
      const row = element("tr", l.withdrawn ? "gone" : "");
      const cell = (/** @type {string} */ name, /** @type {string|number} */ text) => row.append(element("td", name, String(text)));
      cell("n", l.place);
      const name = element("th", "", l.name);
      name.setAttribute("scope", "row");
      if (l.withdrawn) name.append(element("span", "detail", ` (left before round ${l.withdrawn})`));
      row.append(name);
      cell("wide", l.club ?? "");
      cell("n wide", l.games + l.byes);
      cell("n", l.wins + l.byes);
      cell("n", l.draws);
      cell("n", l.losses);
      cell("n points", l.points);
      cell("n", `${l.discs}:${l.against}`);
      cell("n brightwell", l.brightwell);
      return row;
    }),
  );
  $("standings").classList.toggle("plain", !s.breaks?.includes("brightwell"));
  write($("order"), order(s));
  for (const what of ["standings", "results", "players"]) {
    $(`csv-${what}`).setAttribute("href", `/api/v1/tournament/${encodeURIComponent(s.id)}/${what}.csv`);
  }
}
$("print").addEventListener("click", () => window.print());
window.addEventListener("beforeprint", () => (/** @type {HTMLDetailsElement} */ ($("history")).open = true));

// --- players ------------------------------------------------------------------

/** @param {Sheet} s */
function showPeople(s) {
  $("people").hidden = !may;
  const more = goesOn(s);
  $("add").hidden = (s.system === "round-robin" && s.round > 0) || (s.round > 0 && !more);
  $("lots").hidden = s.colors !== "lots" || s.standings.length === 0 || s.round > 0;
  const byes = new Set(s.byes.map((p) => p.number));
  const canBye = (s.system === "swiss" || s.system === "festival") && more;
  const paired = new Set(s.pairings.flatMap((r) => r.tables.flatMap((t) => [t.black.number, t.white?.number])));
  const fixed = s.system === "round-robin" && s.round > 0;
  $("list").replaceChildren(
    ...[...s.standings]
      .sort((a, b) => a.number - b.number)
      .map((l) => {
        const e = element("li");
        const detail = [l.club, l.rating ? String(l.rating) : "", l.lot ? `lot ${l.lot}` : "", byes.has(l.number) ? "bye next round" : "", l.withdrawn ? "has left" : ""];
        e.append(element("span", "name", `${l.number} ${l.name}`), element("span", "detail", detail.filter(Boolean).join(", ")));
        if (canBye && !l.withdrawn && !byes.has(l.number) && !l.byes) {
          e.append(small("Bye…", () => ask(`Bye for ${l.name}`, `${l.name} does not play in round ${s.round + 1} and gets a point.`, "Give it", "optional", () => ({ do: "bye", player: l.number })), `Bye for ${l.name}`));
        }
        if (byes.has(l.number)) {
          e.append(small("No bye", () => act({ do: "no_bye", player: l.number }), `Take the bye of ${l.name} back`));
        }
        e.append(small("Edit…", () => edit(l), `Edit ${l.name}`));
        if (s.round > 0 && !more) return e;
        if (!paired.has(l.number) && !fixed) {
          e.append(small("Remove…", () => ask(`Remove ${l.name}`, "Who is removed takes no part.", "Remove", "none", () => ({ do: "remove", player: l.number })), `Remove ${l.name}`));
          if (s.round === 0) return e;
        }
        e.append(
          l.withdrawn
            ? small("Back in", () => act({ do: "return", player: l.number }), `${l.name} takes part again`)
            : small("Leaves…", () => ask(`${l.name} leaves`, "Who leaves is not paired any more. Results stay.", "Take out", "optional", () => ({ do: "withdraw", player: l.number })), `${l.name} leaves`),
        );
        return e;
      }),
  );
}

/** The number of the player who is edited. */
let edited = 0;

/** @param {Line} l */
function edit(l) {
  edited = l.number;
  write($("edit-title"), `Player ${l.number}`);
  input("edit-name").value = l.name;
  input("edit-club").value = l.club ?? "";
  input("edit-rating").value = l.rating ? String(l.rating) : "";
  input("edit-lot").value = l.lot ? String(l.lot) : "";
  open("edit");
}
onSend("edit", () =>
  act(
    {
      do: "edit",
      player: edited,
      name: input("edit-name").value.trim(),
      club: input("edit-club").value.trim(),
      rating: Number(input("edit-rating").value),
      lot: Number(input("edit-lot").value),
    },
    "edit-error",
  ),
);

$("add").addEventListener("click", () => {
  input("join-text").value = "";
  input("join-namesakes").checked = false;
  $("join-namesakes-row").hidden = true;
  open("join");
});
onSend("join", async () => {
  let text = input("join-text").value;
  const first = (text.split("\n")[0] ?? "").toLowerCase();
  // Lines without a head are name; club; rating, and a comma is part of a name.
  if (!first.split(/[,;\t]/).some((cell) => cell.trim() === "name")) text = `name;club;rating\n${text}`;
  if (await act({ do: "players", text, namesakes: input("join-namesakes").checked }, "join-error")) return true;
  if (/same name/.test($("join-error").textContent ?? "")) $("join-namesakes-row").hidden = false;
  return false;
});
$("lots").addEventListener("click", () => ask("Draw lots", "Every player gets a number. The lower one of two has the choice of colors if they do not agree. What was drawn with is kept, so that everybody can check it.", "Draw", "none", () => ({ do: "lots" })));

// --- the tournament -----------------------------------------------------------

/** @param {Sheet} s */
function showChanges(s) {
  const list = s.changes.filter((c) => !["created", "players", "player", "removed", "paired"].includes(c.what));
  $("history").hidden = list.length === 0;
  write($("history-title"), `What was changed and drawn (${list.length})`);
  $("changes").replaceChildren(
    ...list.reverse().map((c) => {
      const e = element("li");
      const where = c.round ? `Round ${c.round}${c.table ? `, table ${c.table}` : ""}: ` : "";
      const change = c.old && c.new ? `${c.old} → ${c.new}` : (c.old ?? "") + (c.new ?? "");
      e.append(element("div", "", `${where}${c.what}${change ? `: ${change}` : ""}`));
      const when = c.at ? new Date(c.at).toLocaleString() : "time not known";
      e.append(element("div", "when", `${c.reason ? `${capital(c.reason)}. ` : ""}${when}, ${c.by}`));
      return e;
    }),
  );
}

const SYSTEMS = { swiss: "Swiss", "round-robin": "Everybody meets everybody", festival: "Festival", free: "Free event" };

/** @param {Sheet} s */
function state(s) {
  const played = s.pairings.at(-1)?.tables ?? [];
  const open = played.filter((t) => !t.bye && !t.result).length;
  if (s.status === "waiting") return `${s.standings.length} players. No round has been paired yet.`;
  if (s.ended) return `The tournament was ended after round ${s.ended}.`;
  if (s.status === "complete") return `All ${s.round} rounds have been played.`;
  const where = `Round ${s.round} of ${s.total_rounds}`;
  return open ? `${where}: ${open === 1 ? "one game is" : `${open} games are`} still open.` : `${where} has been played.`;
}

/** @param {{may: boolean, login: boolean, view: View}} m */
function show(m) {
  view = m.view;
  may = m.may;
  const s = view.sheet;
  $("guest").hidden = may || !m.login;
  $("create").hidden = !may;
  $("choose").hidden = view.list.length < 2 && !may;
  $("which").hidden = view.list.length < 2;
  $("which").replaceChildren(...view.list.map((t) => new Option(t.day ? `${t.name}, ${t.day}` : t.name, t.id, false, t.id === s?.id)));
  for (const id of ["games", "table"]) $(id).hidden = !s;
  if (!s) {
    $("people").hidden = $("history").hidden = true;
    write($("how"), view.error ? sentence(view.error) : may ? "There is no tournament yet. Begin one." : "There is no tournament yet.");
    return;
  }
  write($("title"), s.name);
  document.title = s.name;
  const clock = s.clock ? `, ${s.clock}` : "";
  write($("where"), [s.day, s.place, SYSTEMS[s.system] ?? s.system, `${s.variant}, ${s.profile}${clock}`].filter(Boolean).join(" · "));
  write($("how"), state(s));
  showGames(s);
  showTable(s);
  showPeople(s);
  showChanges(s);
}

/** @param {string} id */
const goTo = (id) => location.assign(`/tournament?id=${encodeURIComponent(id)}`);
$("which").addEventListener("change", () => goTo(input("which").value));

$("create").addEventListener("click", () => {
  $("begin-variant").replaceChildren(...(view?.variants ?? []).filter((v) => v !== "custom").map((v) => new Option(capital(v), v)));
  $("begin-profile").replaceChildren(...(view?.profiles ?? []).map((p) => new Option(p, p, false, p === "club")));
  if (!input("begin-day").value) input("begin-day").value = new Date().toISOString().slice(0, 10);
  open("begin");
});
$("begin-system").addEventListener("change", () => {
  const festival = input("begin-system").value === "festival";
  $("begin-rounds-row").hidden = input("begin-system").value === "round-robin";
  input("begin-variant").value = festival ? "festival" : "classic";
  input("begin-profile").value = festival ? "festival" : "club";
});
onSend("begin", async () => {
  const name = input("begin-name").value.trim();
  const known = new Set(view?.list.map((t) => t.id));
  const done = await act(
    {
      do: "create",
      id: undefined,
      name,
      day: input("begin-day").value,
      place: input("begin-place").value.trim(),
      system: input("begin-system").value,
      rounds: Number(input("begin-rounds").value),
      variant: input("begin-variant").value,
      profile: input("begin-profile").value,
      clock: input("begin-clock").value.trim(),
    },
    "begin-error",
  );
  // Without a choice the page shows the latest one by itself.
  if (!done || !asked) return done;
  const now = await (await fetch("/api/v1/tournament")).json();
  const made = now.view.list.find((/** @type {{id: string}} */ t) => !known.has(t.id));
  if (made) goTo(made.id);
  return true;
});

new Stream({
  path: `/api/v1/tournament/stream?id=${encodeURIComponent(asked)}`,
  stale: Number(document.documentElement.dataset.stale) || 40000,
  message: (m) => {
    if (m.type !== "snapshot") return;
    // What has the keyboard keeps it, though it is made anew.
    const focused = document.activeElement?.getAttribute("aria-label");
    show(m.data);
    if (focused && document.activeElement === document.body) {
      /** @type {HTMLElement|null} */ (document.querySelector(`[aria-label="${CSS.escape(focused)}"]`))?.focus();
    }
    document.body.classList.add("ready");
  },
  link: (link, silent) => {
    const seconds = Math.round(silent / 1000);
    const old = seconds >= 5 ? ` ${seconds} s` : "";
    $("link").dataset.state = link;
    document.body.dataset.link = link;
    write($("link-text"), { connecting: "Connecting", live: "Live", stale: `Stale${old}, reconnecting`, offline: `Offline${old}, trying again` }[link]);
  },
}).start();
