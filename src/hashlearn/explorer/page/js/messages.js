// What the page says: a notice while the server is lost, and outcomes for readers who listen.

import { debounced, el, fill } from "./dom.js";

const PAUSE = 100; // milliseconds in which sentences become one line, so that none is said twice

/** The notice above the view and the spoken line; `retry` runs when the reader asks to try again. */
export function createMessages(notice, live, retry) {
  let [query, outcome] = ["", ""];
  const write = debounced((words) => (live.textContent = words), PAUSE);
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
    /** Another query: `words` say which, "" that it is not known yet. What was said of the one before is over. */
    asked(words) {
      if (words === "") outcome = "";
      query = words;
      write(`${query} ${outcome}`.trim());
    },
    /** What was found for the query. */
    answered(words) {
      outcome = words;
      write(`${query} ${outcome}`.trim());
    },
    /** Say something that is seen elsewhere on the page. */
    say(words) {
      write(words);
    },
  };
}
