// The theme button: the system's theme, light, dark. theme_first.js applies the theme.

import { keep, recall } from "./storage.js";

const NAMES = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" };
let choice = "auto";

/** Make `button` step through the themes; the choice is kept in this browser. */
export function startTheme(button) {
  choice = recall("theme") in NAMES ? recall("theme") : "auto";
  button.addEventListener("click", nextTheme);
  document.addEventListener("themechosen", () => describe(button));
  describe(button);
}

/** Step to the next theme. */
export function nextTheme() {
  const names = Object.keys(NAMES);
  choice = names[(names.indexOf(choice) + 1) % names.length];
  keep("theme", choice === "auto" ? null : choice);
  document.dispatchEvent(new CustomEvent("themechosen", { detail: choice }));
}

function describe(button) {
  button.textContent = NAMES[choice];
  button.title = "Light, dark, or the system's theme (t)";
  button.setAttribute("aria-label", `Theme: ${NAMES[choice].slice(2)}`);
}
