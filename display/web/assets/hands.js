// The visitor's hands on the simulated table.

import { $, indexOf, other, post } from "./model.js";

/** @typedef {import("./model.js").View} View @typedef {import("./model.js").Color} Color */

export class Hands {
  /** @param {(text: string) => void} complain */
  constructor(complain) {
    this.complain = complain;
    this.present = false;
    this.breaking = false;
    this.wrong = false;
    /** @type {View|null} */
    this.view = null;
    this.wire();
  }

  wire() {
    const press = (/** @type {string} */ id, /** @type {() => void} */ f) => $(id).addEventListener("click", f);
    press("autoflip", () => this.send({ op: "autoflip", on: !this.view?.auto_flip }));
    press("robot", () => this.send({ op: "robot", on: !this.view?.robot }));
    press("wrong", () => this.setWrong(!this.wrong));
    press("reset", () => this.send({ op: "reset" }));
    press("sweep", () => this.send({ op: "sweep" }));
    press("sleeve", () => this.send({ op: "sleeve" }));
    press("fail", () => this.setBreaking(!this.breaking));
    press("heal", () => this.send({ op: "heal" }));
    $("board").addEventListener("dropped", (e) => {
      const { square, color } = /** @type {CustomEvent} */ (e).detail;
      this.send({ op: "place", square, color });
    });
    addEventListener("keydown", (e) => e.key === "Escape" && this.setBreaking(false));
  }

  /** @param {object} act */
  async send(act) {
    const reply = await post("/api/v1/hands", act);
    if (reply.status !== "ok") this.complain(reply.error ?? "That is not possible.");
  }

  /** @param {View} view @param {boolean} present */
  show(view, present) {
    this.view = view;
    this.present = present;
    $("hands").hidden = !present;
    $("autoflip").setAttribute("aria-checked", String(view.auto_flip));
    $("robot").setAttribute("aria-checked", String(view.robot));
    $("robot").hidden = !view.opponent;
    $("heal").hidden = !view.failed?.length;
  }

  /** @param {boolean} on */
  setWrong(on) {
    this.wrong = on;
    $("wrong").setAttribute("aria-checked", String(on));
  }

  /** @param {boolean} on */
  setBreaking(on) {
    if (this.breaking === on) return;
    this.breaking = on;
    $("fail").setAttribute("aria-pressed", String(on));
    $("fail").textContent = on ? "Choose a square…" : "Break a sensor";
    $("board").classList.toggle("breaking", on);
  }

  /** The face of a square on the table. @param {string} square */
  face(square) {
    return (this.view?.table || this.view?.state?.board || "")[indexOf(square)] ?? "-";
  }

  /**
   * The color a disc on a square should show: the one the move or the record
   * wants there, else the mover's.
   * @param {string} square @returns {Color}
   */
  color(square) {
    const state = this.view?.state;
    if (state?.pending?.to_flip.includes(square)) return state.pending.by;
    const setup = state?.phase === "setup" || state?.phase === "idle";
    const wanted = (setup ? this.view?.start : state?.board)?.[indexOf(square)];
    if (wanted === "B") return "black";
    if (wanted === "W") return "white";
    if (setup) return this.view?.first || "black";
    return state?.turn === "white" ? "white" : "black";
  }

  /** A click on a square, or Enter. @param {string} square @param {boolean} wrong */
  activate(square, wrong) {
    if (this.breaking) {
      this.setBreaking(false);
      const failed = this.view?.failed?.includes(square);
      const fault = /** @type {HTMLSelectElement} */ ($("fault")).value;
      this.send(failed ? { op: "heal", square } : { op: "fail", square, fault });
    } else if (this.face(square) === "-") {
      this.place(square, wrong);
    } else {
      this.turn(square);
    }
  }

  /** @param {string} square @param {boolean} wrong */
  place(square, wrong) {
    const color = this.color(square);
    this.send({ op: "place", square, color: wrong !== this.wrong ? other(color) : color });
  }

  /** @param {string} square */
  turn(square) {
    this.send({ op: "turn", square });
  }

  /** @param {string} square */
  lift(square) {
    this.send({ op: "lift", square });
  }

  /** @param {string} square @param {string} to */
  slide(square, to) {
    this.send({ op: "slide", square, to });
  }
}
