// Messages: a notice while the server is lost, and results for screen readers.

import { debounced, el, fill } from "./dom.js";

const PAUSE = 100; // milliseconds in which sentences are joined, so that none is spoken twice

/** The notice above the view and the spoken line; `retry` runs when the reader asks to try again. */
export function createMessages(notice, live, retry) {
  let [query, outcome] = ["", ""];
  const write = debounced((words) => (live.textContent = words), PAUSE);
  const button = () => el("button", { type: "button", onclick: retry }, "Try again");
  return {
    /** A request failed: a lost server is shown above the view, a refusal where the request was made. */
    failed(error) {
      if (error.status !== 0) return;
      fill(notice, error.message, " ", button());
      notice.hidden = false;
    },
    /** A request was answered. */
    found() {
      notice.hidden = true;
    },
    /** Another query, described by `words`; "" if it is not known yet. Results of the previous query are dropped. */
    asked(words) {
      if (words === "") outcome = "";
      query = words;
      write(`${query} ${outcome}`.trim());
    },
    /** The results of the query. */
    answered(words) {
      outcome = words;
      write(`${query} ${outcome}`.trim());
    },
    /** Speak something that is visible elsewhere on the page. */
    say(words) {
      write(words);
    },
  };
}
