// What is said aloud, for readers of the page who do not see it.

import { $, capital, element } from "./model.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").GameEvent} GameEvent */

/** How long the sentence must stand before it is said. */
const CALM = 500;

/** How long a move waits for the view that knows its score. */
const PATIENCE = 1500;

const REASONS = /** @type {Record<string, string>} */ ({
  occupied: "there is a disc already",
  no_flip: "it would turn nothing",
  wrong_color: "the disc shows the wrong color",
  out_of_turn: "it is not that player's turn",
  second_disc: "only one disc may be placed",
  extra_flip: "a disc was turned that does not belong to the move",
  flips_pending: "discs are left unflipped",
  pass_not_allowed: "there is a move to make",
  not_running: "no game is running",
  other_square: "the computer wants to play elsewhere",
  disc_missing: "a disc is missing on the board",
  off_center: "the first four discs go in the middle",
});

export class Announcer {
  constructor() {
    this.log = $("say");
    /** @type {View|null} */
    this.view = null;
    this.said = ""; // the last sentence
    /** Moves that wait for their score. @type {GameEvent[]} */
    this.waiting = [];
  }

  /** @param {string} text */
  say(text) {
    this.log.append(element("p", "", text));
    while (this.log.childElementCount > 8) this.log.firstElementChild?.remove();
  }

  /** What was there before the page looked is not news. @param {View} view */
  begin(view) {
    this.view = view;
    this.said = view.sentence;
    this.waiting = [];
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    this.flush(false);
    if (view.sentence === this.said) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.flush(true);
      if (view.sentence !== this.said) this.say(view.sentence);
      this.said = view.sentence;
    }, CALM);
  }

  /** @param {GameEvent} event */
  event(event) {
    if (event.replay) return;
    if (event.type === "move") {
      this.waiting.push(event);
      clearTimeout(this.patience);
      this.patience = setTimeout(() => this.flush(true), PATIENCE);
      this.flush(false);
      return;
    }
    this.flush(true);
    const text = words(event, this.view?.state ?? null);
    if (text) this.say(text);
  }

  /** Says the moves whose score is known, or all. @param {boolean} all */
  flush(all) {
    while (this.waiting.length > 0) {
      const { ply, data } = this.waiting[0];
      const played = this.view?.moves.find((m) => m.ply === ply && m.move === data.move && m.by === data.by);
      if (!played && !all) return;
      const turned = (data.flipped ?? []).length;
      const flips = turned ? `, ${turned} flipped` : "";
      const score = played ? `, ${played.black} to ${played.white}` : "";
      this.say(`${capital(data.by)} ${data.move}${flips}${score}.`);
      this.waiting.shift();
    }
  }
}

/** @param {GameEvent} event @param {import("./model.js").State|null} state */
function words(event, state) {
  const { type, data } = event;
  const squares = (data?.squares ?? []).join(", ");
  switch (type) {
    case "game_started":
      return `A new game begins. ${capital(data.turn ?? "black")} to move.`;
    case "pass":
      return `${capital(data.by)} must pass.`;
    case "undo":
      if (data.plies === 0) return `The result was taken back. ${capital(data.by)} to move.`;
      return data.plies === 1 ? "One move taken back." : `${data.plies} moves taken back.`;
    case "illegal_move":
      return `${capital(data.move ?? "that")} is not possible: ${why(data.reason, state)}.`;
    case "flip_error":
      return flips(event.ply, data);
    case "revise":
      return `The record was corrected from move ${data.from_ply} on${because(data.reason)}.`;
    case "position_set":
      return `The position was set by the arbiter${because(data.reason)}. ${capital(data.turn ?? "")} to move.`;
    case "clock_flag":
      if (data.color === "none") return "The time is up.";
      return `${capital(data.color)}'s flag has fallen${{ grace: ": two minutes more", jof: ": the other may play on for both", none: "", loss: "", count: "" }[/** @type {string} */ (data.effect)] ?? ""}.`;
    case "clock_adjusted":
      return `The clocks were set${because(data.reason)}.`;
    case "paused":
      return `The game is stopped${because(data.reason)}.`;
    case "resumed":
      return `The game goes on${because(data.reason)}.`;
    case "game_over":
      return over(data);
    case "sensor_fault":
      return `The sensor of ${squares} cannot be read.`;
    case "sensor_restored":
      return `The sensor of ${squares} works again.`;
    case "power_restored":
      return data.changed?.length ? `The board is back. Changed meanwhile: ${data.changed.join(", ")}.` : "The board is back.";
    case "engine_lost":
      return `The computer opponent is gone: ${data.reason}. People may go on.`;
    default:
      return "";
  }
}

/** @param {string|undefined} reason */
const because = (reason) => (reason ? `: ${reason}` : "");

/** What became of wrong flips. @param {number} ply @param {any} data */
function flips(ply, data) {
  const move = `move ${data.ply ?? ply}`;
  const what = [data.missed?.length ? `${data.missed.join(", ")} not turned` : "", data.extra?.length ? `${data.extra.join(", ")} turned too` : ""].filter(Boolean).join(", ");
  if (data.status === "fixed") return `The flips of ${move} have been put right.`;
  if (data.status === "stands") return `${capital(move)} stands as it was played${what ? `: ${what}` : ""}.`;
  return `${capital(move)} is wrong${what ? `: ${what}` : ""}. ${data.claimed ? "It has been claimed." : "It may be claimed."}`;
}

/** @param {string} reason @param {import("./model.js").State|null} state */
function why(reason, state) {
  // Before off_center had a word of its own, no_flip stood for it.
  const opening = state?.phase === "playing" && state.ply < 4 && /^-*$/.test(state.start?.board ?? "B");
  return REASONS[reason === "no_flip" && opening ? "off_center" : reason] ?? reason;
}

/**
 * Whether a player has lost by a flag; otherwise the time of the game was up and the
 * discs were counted. Results of old journals do not say what their score is.
 * @param {any} result
 */
export function onTime(result) {
  const { black, white } = result.discs ?? {};
  return result.reason === "flag" && (result.counts ? result.counts === "awarded" : result.black !== black || result.white !== white);
}

/** @param {any} data */
function over(data) {
  if (data.result === "none") return "The game is over without a result.";
  const counted = data.reason === "flag" && !onTime(data);
  const over = counted ? "The time is up and the discs are counted." : "Game over.";
  const lay = data.time_up?.differ?.length ? ` They count as they lay; the record has Black ${data.time_up.record.black}, White ${data.time_up.record.white}.` : "";
  if (data.result === "draw") return `${over} ${data.black} all. Draw.${lay}`;
  const [won, lost] = data.result === "black" ? [data.discs?.black, data.discs?.white] : [data.discs?.white, data.discs?.black];
  const how = counted ? "" : ({ resign: " The other player has given up.", flag: " On time.", adjudicated: " By decision of the arbiter." }[/** @type {string} */ (data.reason)] ?? "");
  const fewer = !how && won < lost ? " with fewer discs" : "";
  return `${over} Black ${data.black}, White ${data.white}. ${capital(data.result)} wins${fewer}.${how}${lay}`;
}
