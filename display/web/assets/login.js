// Who the visitor is, and how one becomes somebody.

import { $, capital, post } from "./model.js";

/** @typedef {import("./model.js").You} You */

export class Login {
  /** @param {() => void} again  asks for everything anew, as somebody else */
  constructor(again) {
    this.again = again;
    const dialog = /** @type {HTMLDialogElement} */ ($("login"));
    $("account").addEventListener("click", () => {
      if (this.you?.role !== "viewer") {
        this.leave();
        return;
      }
      $("login-error").hidden = true;
      /** @type {HTMLInputElement} */ ($("token")).value = "";
      dialog.showModal();
    });
    $("login-cancel").addEventListener("click", () => dialog.close());
    $("login-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.enter();
    });
  }

  /** @param {You} you */
  show(you) {
    this.you = you;
    document.body.dataset.role = you.role;
    document.body.dataset.seat = you.seat;
    $("account").hidden = !you.login;
    const seat = you.seat ? `, ${you.seat}` : "";
    const name = you.name.toLowerCase() === you.role ? "" : `: ${you.name}`;
    $("who-am-i").textContent = you.role === "viewer" || !you.login ? "" : `${capital(you.role)}${seat}${name}`;
    $("account").textContent = you.role === "viewer" ? "Log in" : "Log out";
    for (const e of document.querySelectorAll("[data-arbiter]")) /** @type {HTMLElement} */ (e).hidden = you.role !== "arbiter";
  }

  async enter() {
    const value = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ ($(id)).value;
    const reply = await post("/api/v1/login", { token: value("token"), name: value("login-name"), seat: value("seat") });
    if (reply.status !== "ok") {
      $("login-error").textContent = `${capital(reply.error || "that did not work")}.`;
      $("login-error").hidden = false;
      return;
    }
    /** @type {HTMLInputElement} */ ($("token")).value = "";
    /** @type {HTMLDialogElement} */ ($("login")).close();
    this.again();
  }

  async leave() {
    await post("/api/v1/logout", {});
    this.again();
  }
}
