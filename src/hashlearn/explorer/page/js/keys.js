// Single keys for what the panel's buttons and sliders do.

import { compareOrNot } from "./settings.js";
import { longestCode } from "./state.js";
import { nextTheme } from "./theme.js";

const TYPED = "input:not([type=range], [type=checkbox], [type=file]), select, textarea, [contenteditable]";

export function listenToKeys({ state, collection, query, help }) {
  const now = () => state.get();
  const moveBits = (by) => state.set({ bits: (now().bits ?? longestCode(now().methods)) + by });
  const actions = {
    r: query.random,
    "/": query.focusId,
    u: query.chooseFile,
    c: () => compareOrNot(state, collection),
    1: () => state.set({ view: "neighbours" }),
    2: () => state.set({ view: "curves" }),
    3: () => state.set({ view: "map" }),
    "[": () => moveBits(-1),
    "]": () => moveBits(1),
    "-": () => state.set({ radius: now().radius - 1 }),
    "+": () => state.set({ radius: now().radius + 1 }),
    "=": () => state.set({ radius: now().radius + 1 }), // "+" without Shift on many keyboards
    ",": () => state.set({ k: now().k - 1 }),
    ".": () => state.set({ k: now().k + 1 }),
    n: () => state.set({ show: now().show === "nearest" ? "radius" : "nearest" }),
    t: nextTheme,
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isChord(event)) return;
    if (help.open || event.target.closest?.(TYPED) || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });
}

// Many keyboards type "[" with AltGr (Ctrl and Alt) or Option (Alt). Ctrl alone is the browser's: "Ctrl -" zooms.
function isChord({ key, ctrlKey, altKey, metaKey }) {
  if (/^[a-z0-9]$/i.test(key)) return ctrlKey || altKey || metaKey;
  return metaKey || (ctrlKey && !altKey);
}
