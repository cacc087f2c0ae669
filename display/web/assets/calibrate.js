// The calibration view: what to do, what the cells show, and what was found.

import { $, SQUARES, element, indexOf, post } from "./model.js";
import { Stream } from "./stream.js";

/**
 * @typedef {{severity: string, squares: string[], text: string}} Finding
 * @typedef {{well: boolean, summary: string, corrections: number, findings: Finding[], verdicts: string[], severities: string[], numbers: string[], picture: string}} Report
 * @typedef {object} View
 * @property {string} stage
 * @property {string} refusal
 * @property {string} stored
 * @property {boolean} colors
 * @property {boolean} quick
 * @property {string} text
 * @property {string} note
 * @property {number} done
 * @property {number} all
 * @property {"place"|"turn"|"take"|""} ask
 * @property {"black"|"white"|"none"} face
 * @property {string[]|null} squares
 * @property {string[]|null} missing
 * @property {boolean} taken
 * @property {string} seen  64 of -BW?
 * @property {string} table  what lies on a simulated table, "" on a real one
 * @property {Report|null} report
 */

/** @type {View|null} */
let view = null;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let fade;
let robot = false;
let busy = false;

/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ ($(id));

/** Changes a text only if it differs: readers of the screen hear of changes. @param {Element} e @param {string} text */
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

/** @param {string} text */
function complain(text) {
  write($("notice"), text);
  $("notice").hidden = false;
  clearTimeout(fade);
  fade = setTimeout(() => ($("notice").hidden = true), 8000);
}

/** @param {string} name @param {object} [more] */
async function act(name, more = {}) {
  const answer = await post("/api/v1/calibration", { do: name, ...more });
  if (answer.status !== "ok") complain(answer.error ?? "The board refused.");
}

/** @param {object} what */
async function hand(what) {
  const answer = await post("/api/v1/hands", what);
  if (answer.status !== "ok") complain(answer.error ?? "The hands could not do that.");
}

/** The squares, built once. @type {HTMLElement[]} */
const cells = [];
for (let rank = 0; rank < 8; rank++) {
  const row = element("div", "row");
  row.setAttribute("role", "row");
  for (let file = 0; file < 8; file++) {
    const cell = element("div", "cell");
    cell.setAttribute("role", "gridcell");
    cell.dataset.square = SQUARES[8 * rank + file];
    cell.append(element("span", "numbers"), element("span", "want"), element("span", "verdict"));
    cells.push(cell);
    row.append(cell);
  }
  $("board").append(row);
}
$("board").addEventListener("click", (e) => {
  const cell = /** @type {HTMLElement} */ (e.target).closest(".cell");
  if (cell instanceof HTMLElement && view?.table) obey(cell.dataset.square ?? "");
});

/** Does with simulated hands what is asked for at a square. @param {string} square */
async function obey(square) {
  if (!view) return;
  const lies = view.table[indexOf(square)];
  if (view.stage === "clearing" || view.stage === "tidying" || view.ask === "take") {
    if (lies !== "-") await hand({ op: "lift", square });
    return;
  }
  if (view.ask === "turn" && lies !== "-") return hand({ op: "turn", square });
  if (view.ask !== "place" || lies !== "-") return;
  // Where one disc is used it comes from where it lies.
  if (view.squares?.length === 1 && view.stage !== "filling") {
    for (let i = 0; i < 64; i++) if (view.table[i] !== "-") await hand({ op: "lift", square: SQUARES[i] });
  }
  await hand({ op: "place", square, color: view.face === "white" ? "white" : "black" });
}

/** What the hands have done last, and when. */
let helped = "";
let helpedAt = 0;

/** Lets simulated hands do what is asked for, once each time it is asked. */
async function help() {
  if (!robot || busy || !view?.table) return;
  busy = true;
  try {
    const asked = [view.stage, view.done, view.all, view.text].join();
    if (view.stage === "clearing" || view.stage === "tidying") {
      await hand({ op: "sweep" });
      if (view.stage === "clearing") await act("next");
    } else if (view.ask && !view.taken && asked !== helped) {
      for (const square of view.missing ?? []) await obey(square);
      helped = asked;
      helpedAt = performance.now();
    } else if (view.ask && !view.taken && view.note.includes("go on") && performance.now() - helpedAt > 2000) {
      await act("next");
    }
  } finally {
    busy = false;
  }
}
setInterval(help, 300);

/** What stands on a cell. @param {HTMLElement} cell @param {string} face */
function disc(cell, face) {
  let d = cell.querySelector(".disc");
  if (face !== "B" && face !== "W") {
    d?.remove();
    return;
  }
  if (!d) {
    d = element("span", "disc");
    d.append(element("i", "face black"), element("i", "face white"));
    cell.prepend(d);
  }
  d.classList.toggle("is-white", face === "W");
}

/** @param {View} v */
function showBoard(v) {
  const missing = new Set((v.missing ?? []).map(indexOf));
  const taken = new Set(v.taken ? (v.squares ?? []).map(indexOf) : []);
  cells.forEach((cell, i) => {
    const face = v.report ? "-" : (v.seen[i] ?? "-");
    disc(cell, face);
    const want = missing.has(i) ? v.ask : "";
    if (cell.dataset.want !== want) cell.dataset.want = want;
    cell.toggleAttribute("data-taken", taken.has(i));
    cell.classList.toggle("blind", face === "?");
    const severity = v.report?.severities[i] ?? "";
    if (cell.dataset.severity !== severity) cell.dataset.severity = severity;
    const verdict = v.report?.verdicts[i] ?? "";
    write(part(cell, ".verdict"), severity ? verdict : "");
    write(part(cell, ".numbers"), v.report?.numbers[i] ?? "");
    const shows = v.report ? verdict : face === "B" ? "black disc" : face === "W" ? "white disc" : face === "?" ? "no data" : "empty";
    const wants = { place: ", put a disc here", turn: ", turn the disc over", take: ", take the disc away" }[want] ?? "";
    cell.setAttribute("aria-label", `${SQUARES[i]}: ${shows}${wants}`);
  });
}

/** @param {Element} e @param {string} selector */
const part = (e, selector) => /** @type {HTMLElement} */ (e.querySelector(selector));

/** @param {View} v */
function showReport(v) {
  const r = v.report;
  $("result").hidden = !r && v.stage !== "aborted";
  if (!r) {
    write($("summary"), "Ended");
    $("findings").replaceChildren();
    $("deciding").hidden = true;
    part(document.body, "#picture").parentElement?.toggleAttribute("hidden", true);
  } else {
    write($("summary"), r.findings.length ? "What was found" : "Nothing is wrong");
    const list = JSON.stringify(r.findings);
    if ($("findings").dataset.list !== list) {
      $("findings").dataset.list = list;
      $("findings").replaceChildren(
        ...r.findings.map((f) => {
          const item = element("li", "", f.text);
          item.dataset.severity = f.severity;
          return item;
        }),
      );
      $("picture").setAttribute("href", `data:image/svg+xml,${encodeURIComponent(r.picture)}`);
    }
    $("deciding").hidden = v.stage !== "deciding";
    $("plain").hidden = !r.corrections;
    write($("store"), r.corrections ? `Store with ${r.corrections} ${r.corrections === 1 ? "correction" : "corrections"}` : "Store");
    part(document.body, "#picture").parentElement?.toggleAttribute("hidden", false);
  }
  $("finished").hidden = v.stage !== "agreed" && v.stage !== "aborted";
}

/** @param {View} v */
function show(v) {
  view = v;
  const going = !["idle", "deciding", "storing", "agreed", "aborted"].includes(v.stage);
  write($("sentence"), v.text);
  write($("note"), v.note);
  const progress = $("progress");
  progress.hidden = !(going && v.all > 0);
  progress.setAttribute("aria-valuemax", String(v.all));
  progress.setAttribute("aria-valuenow", String(v.done));
  progress.style.setProperty("--done", String(v.all ? v.done / v.all : 0));
  $("begin").hidden = v.stage !== "idle";
  write($("stored"), v.stored);
  write($("refusal"), v.refusal);
  $("refusal").hidden = !v.refusal;
  button("single").disabled = button("quick").disabled = Boolean(v.refusal);
  write($("single"), v.colors ? "Square by square" : "With a test of the diodes");
  write($("quick"), v.colors ? "Quick, with many discs" : "Quick, without it");
  write(
    $("modes"),
    v.colors
      ? "Square by square, one disc goes over the board and is turned on every square: the better measurement, about five minutes. Quick, all discs are laid rank by rank and turned file by file: about two."
      : "One disc goes over the board. To test the diodes, the board is then filled with 64 discs.",
  );
  $("discs").hidden = $("discs-label").hidden = false;
  $("going").hidden = !going;
  write($("next"), v.stage === "clearing" ? "The board is empty" : "Done, go on");
  button("next").disabled = v.stage === "measuring";
  $("helping").hidden = !(going && v.table);
  showBoard(v);
  showReport(v);
  document.body.classList.add("ready");
}

for (const name of ["next", "again", "abort", "store", "plain", "forget"]) $(name).addEventListener("click", () => act(name));
$("discard").addEventListener("click", () => act("abort"));
const discs = () => Number(/** @type {HTMLSelectElement} */ ($("discs")).value);
$("single").addEventListener("click", () => act("start", { quick: false, discs: discs() }));
$("quick").addEventListener("click", () => act("start", { quick: true, discs: discs() }));
$("robot").addEventListener("click", () => {
  robot = !robot;
  helped = "";
  $("robot").setAttribute("aria-checked", String(robot));
});

new Stream({
  path: "/api/v1/calibration/stream",
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
