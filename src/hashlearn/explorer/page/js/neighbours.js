// The Neighbours view: one column per method, side by side, and an explanation.

import { createColumn } from "./column.js";
import { debounced, el, fill, isPlainClick } from "./dom.js";
import { moveFocus } from "./moving.js";
import { shownMethods } from "./state.js";
import { keep, recall } from "./storage.js";

const PAUSE = 60; // milliseconds that a slider must rest before a request

export function mountNeighbours(root, context) {
  const { state, collection, messages } = context;
  const lists = ["nearest", "radius"].map((show) =>
    el("button", { type: "button", dataset: { show }, onclick: () => state.set({ show }) }),
  );
  const choices = el("div", { class: "choices", role: "group", "aria-label": "Items listed" }, lists);
  const columns = el("div", { class: "columns", tabindex: "-1", onkeydown: moveFocus, onclick: queryClicked });
  const title = el("h2", { class: "unseen" }, "Neighbours");
  fill(root, title, el("div", { class: "bar" }, choices, explanation(collection)), columns);

  const made = new Map(); // columns by method, kept for when the method is shown again
  const later = debounced(ask, PAUSE);
  let last = null;

  function update(now) {
    for (const button of lists) describe(button, now);
    arrange(shownMethods(now).map((method) => column(method).root));
    const slid = last !== null && ["bits", "k", "radius"].some((key) => last[key] !== now[key]);
    last = now;
    if (slid) later();
    else ask();
  }

  function arrange(roots) {
    const same = roots.length === columns.children.length && roots.every((node, i) => node === columns.children[i]);
    if (!same) keepingFocus(columns, () => fill(columns, roots));
    columns.classList.toggle("compare", roots.length > 1);
  }

  async function ask() {
    const now = state.get();
    if (now.item === null && now.code === null) return; // the first query is being drawn
    const said = await Promise.all(shownMethods(now).map((method) => column(method).update(now)));
    if (said.every((words) => words !== null)) messages.answered(said.join(" "));
  }

  function column(method) {
    if (!made.has(method.name)) made.set(method.name, createColumn(method, context));
    return made.get(method.name);
  }

  function queryClicked(event) {
    const hit = event.target.closest(".hit");
    if (!hit || !isPlainClick(event)) return;
    event.preventDefault();
    state.set({ item: Number(hit.dataset.item) });
  }

  return { update };
}

// Elements that leave the page lose the focus, even if they return at once.
function keepingFocus(columns, change) {
  const focused = columns.contains(document.activeElement) ? document.activeElement : null;
  change();
  if (focused) (focused.isConnected ? focused : (columns.querySelector(".hit[tabindex='0']") ?? columns)).focus();
}

function describe(button, { show, k, radius }) {
  button.setAttribute("aria-pressed", String(button.dataset.show === show));
  button.textContent = button.dataset.show === "nearest" ? `${k} nearest` : `Within radius ${radius}`;
}

// Open on a first visit, closed for those who closed it once.
function explanation({ labels }) {
  const narrow = matchMedia("(max-width: 760px)").matches;
  const sample = (kind, words, text = "") =>
    el("span", {}, el("i", { class: `sample ${kind}`, "aria-hidden": "true" }, text), ` ${words}`);
  return el(
    "details",
    {
      class: "explained small",
      open: recall("explained") === null && !narrow,
      ontoggle: ({ target }) => keep("explained", target.open ? null : "closed"),
    },
    el("summary", {}, "How to read this"),
    el(
      "p",
      {},
      "A method turns each item into a code of bits, drawn as a bar. ",
      "The distance of two items is the number of bits that differ. ",
      "Items at the same distance are tied: nothing ranks one above the other.",
    ),
    el(
      "p",
      { class: "samples" },
      sample("on", "bit is 1"),
      sample("off", "bit is 0"),
      sample("differs", "bit differs from the query's, is 1"),
      sample("differs off", "differs, is 0"),
      labels ? sample("wrong", "no label in common with the query", "✕") : null,
    ),
  );
}
