// The numbers above a list: precision at k, and the items within the radius.

import { el, fill } from "./dom.js";
import { plural, share } from "./format.js";

let made = 0; // hints so far: each needs an id of its own

/** Put the measures of one method's answers into `root`. */
export function drawMeasures(root, { search, within }, radius) {
  const hadFocus = root.contains(document.activeElement);
  fill(root, search.precision ? precisionAtK(search) : null, withinRadius(within, radius));
  if (hadFocus) root.querySelector("button")?.focus();
}

function precisionAtK(search) {
  const n = search.hits.length;
  const right = search.hits.filter(({ relevant }) => relevant).length;
  return measure(`Precision at ${n}`, share(search.precision.shown), [`${right} of ${n} right`, expected(search)]);
}

function withinRadius({ count, precision, recall }, radius) {
  const shares = precision === null ? [] : [`precision ${share(precision)}`, `recall ${share(recall)}`];
  return measure(`Within radius ${radius}`, plural(count, "item"), shares);
}

function measure(name, value, details) {
  const lines = details.filter(Boolean).map((words) => el("span", { class: "detail" }, words));
  return el("div", {}, el("dt", {}, name), el("dd", {}, el("b", {}, value), lines));
}

// Only if it differs from what is shown: then the list ends within a group of ties.
function expected({ precision, ties }) {
  if (Math.abs(precision.expected - precision.shown) < 0.0005) return null;
  const { distance, shown, total } = ties.at(-1);
  const reason =
    `Only ${shown} of the ${total} items tied at distance ${distance} fit into the list. ` +
    "Another order of these ties would show others; this is the mean over all orders.";
  return hint(`${share(precision.expected)} over tie orders`, reason);
}

/** Words that explain themselves when pointed at, tapped or focused; Escape closes the explanation. */
function hint(words, reason) {
  const id = `tip-${(made += 1)}`;
  const close = (isClosed) => () => root.classList.toggle("closed", isClosed);
  const onkeydown = ({ key }) => key === "Escape" && close(true)();
  const reopen = { onclick: close(false), onblur: close(false) };
  const button = el("button", { type: "button", "aria-describedby": id, ...reopen }, words);
  const tip = el("span", { id, class: "tip", role: "tooltip" }, reason);
  const root = el("span", { class: "hint", onkeydown, onpointerenter: close(false) }, button, tip);
  return root;
}
