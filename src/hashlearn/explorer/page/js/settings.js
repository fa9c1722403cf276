// The settings: methods shown, and sliders for bits, radius and neighbours.

import { el, fill } from "./dom.js";
import { count } from "./format.js";
import { largestK, longestCode } from "./state.js";

/** Fill the foldable `root` with the methods and the sliders. */
export function mountSettings(root, { state, collection }) {
  const compare = el("button", {
    type: "button",
    class: "quiet small",
    "aria-keyshortcuts": "c",
    title: "Compare all methods, or show one (c)",
    onclick: () => compareOrNot(state, collection),
  });
  const title = el("h2", { id: "methods-title" }, "Methods");
  const several = collection.methods.length > 1;
  const methods = collection.methods.map((method) => methodRow(method, state));
  const sliders = makeSliders(state);
  foldWhenNarrow(root);
  fill(
    root.lastElementChild,
    el(
      "div",
      { class: "methods", role: "group", "aria-labelledby": "methods-title" },
      el("div", { class: "title" }, title, several ? compare : null),
      methods,
    ),
    sliders.map(({ root: slider }) => slider),
  );

  function update(now) {
    compare.textContent = now.methods.length > 1 ? "Only one" : "Compare all";
    methods.forEach((row, i) => {
      row.querySelector("input").checked = now.methods.includes(collection.methods[i].name);
    });
    for (const slider of sliders) slider.update(now);
  }

  return { update };
}

// On a narrow screen the settings are between query and results: closed, they leave room for the results.
function foldWhenNarrow(root) {
  const narrow = matchMedia("(max-width: 760px)");
  const fold = () => (root.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  fold();
}

/** All methods side by side; or only the first of those that are shown. */
export function compareOrNot(state, collection) {
  const { methods } = state.get();
  const all = collection.methods.map(({ name }) => name);
  state.set({ methods: methods.length > 1 ? methods.slice(0, 1) : all });
}

function methodRow({ name, title }, state) {
  const box = el("input", { type: "checkbox", onchange: change });
  function change() {
    const { methods } = state.get();
    const next = box.checked ? [...methods, name] : methods.filter((other) => other !== name);
    if (next.length) state.set({ methods: next });
    else box.checked = true; // one method stays
  }
  const choose = { "aria-label": `Only ${title}`, onclick: () => state.set({ methods: [name] }) };
  const only = el("button", { type: "button", class: "quiet small only", ...choose }, "only");
  return el("div", { class: "method" }, el("label", {}, box, el("span", {}, title)), only);
}

function makeSliders(state) {
  const longest = (now) => longestCode(now.methods);
  return [
    slider("Bits", "[ ]", {
      range: (now) => [1, longest(now)],
      value: (now) => now.bits ?? longest(now),
      words: (value, [, most]) => (value < most ? `first ${count(value)} of ${count(most)}` : `all ${count(most)}`),
      set: (bits) => state.set({ bits }),
      hint: "Number of bits used of each code, from the first.",
    }),
    slider("Radius", "- +", {
      range: (now) => [0, now.bits ?? longest(now)],
      value: (now) => now.radius,
      words: (value) => count(value),
      set: (radius) => state.set({ radius }),
      hint: "Items up to this distance are found.",
    }),
    slider("Neighbours", ", .", {
      range: () => [1, largestK()],
      value: (now) => now.k,
      words: (value) => count(value),
      set: (k) => state.set({ k }),
      hint: "Number of nearest items listed.",
    }),
  ];
}

function slider(name, keys, { range, value, words, set, hint }) {
  const id = `slider-${name.toLowerCase()}`;
  const output = el("output", { for: id, "aria-live": "off" });
  const oninput = () => set(Number(input.value));
  const input = el("input", { id, type: "range", "aria-keyshortcuts": keys, oninput });
  const label = el("label", { for: id, title: `${hint} Keys: ${keys}` }, name);
  function update(now) {
    const ends = range(now);
    [input.min, input.max] = ends;
    input.value = value(now);
    output.textContent = words(value(now), ends);
    input.setAttribute("aria-valuetext", output.textContent);
  }
  return { root: el("div", { class: "slider" }, label, output, input), update };
}
