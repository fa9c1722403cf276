// What the page says: a notice while the server is lost, and outcomes for readers who listen.

import { el, fill } from "./dom.js";

/** The notice above the view and the spoken line; `retry` runs when the reader asks to try again. */
export function createMessages(notice, live, retry) {
  const button = () => el("button", { type: "button", onclick: retry }, "Try again");
  return {
    /** A request failed: a lost server is everyone's business, a refusal is its part's own. */
    failed(error) {
      if (error.status !== 0) return;
      fill(notice, error.message, " ", button());
      notice.hidden = false;
    },
    /** A request was answered. */
    found() {
      notice.hidden = true;
    },
    /** Say something that is seen elsewhere on the page. */
    say(words) {
      live.textContent = words;
    },
  };
}
