// Colours of labels, looks of series, and theme colours for canvases.

import { el } from "./dom.js";

// [tier of lightness, hue]. The first ten were chosen to differ most, in light and in dark, also for
// eyes without red or green cones; the next ten each differ most from all before them.
const LABEL_TONES = [
  [2, 245], [3, 80], [1, 25], [2, 145], [2, 345], [3, 175], [1, 285], [2, 45], [1, 185], [3, 315],
  [2, 195], [3, 20], [1, 340], [1, 115], [2, 305], [3, 245], [3, 135], [1, 225], [2, 15], [2, 105],
];
const GOLDEN_ANGLE = 137.508;

/** Number of distinguishable label colours. */
export const DISTINCT_LABELS = LABEL_TONES.length;

/** The CSS colour of the label at `index`; below 0 is "no label". */
export function labelColour(index) {
  if (index < 0) return "var(--muted)";
  const [tier, hue] = LABEL_TONES[index] ?? [1 + (index % 3), (index * GOLDEN_ANGLE) % 360];
  return `oklch(var(--label-lightness-${tier}) var(--label-chroma-${tier}) ${hue})`;
}

const DASHES = ["none", "7 4", "2 3", "10 3 2 3", "14 5", "4 2 1 2"];
const MARKERS = ["circle", "square", "triangle", "diamond", "cross", "plus"];

/** Colour, dash and marker of the series at `index`: distinguished not by colour alone. */
export function seriesLook(index) {
  const n = MARKERS.length;
  const turn = (index + Math.floor(index / n)) % n; // the seventh has the first colour with another dash and marker
  return { colour: `var(--series-${(index % n) + 1})`, dash: DASHES[turn], marker: MARKERS[turn] };
}

/** SVG path of a marker of half-width `r` around (x, y). */
export function markerPath(marker, x, y, r) {
  const at = (dx, dy) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`;
  switch (marker) {
    case "square":
      return `M${at(-0.9, -0.9)}L${at(0.9, -0.9)}L${at(0.9, 0.9)}L${at(-0.9, 0.9)}Z`;
    case "triangle":
      return `M${at(0, -1.1)}L${at(1.1, 0.9)}L${at(-1.1, 0.9)}Z`;
    case "diamond":
      return `M${at(0, -1.3)}L${at(1.3, 0)}L${at(0, 1.3)}L${at(-1.3, 0)}Z`;
    case "cross":
      return `M${at(-1, -1)}L${at(1, 1)}M${at(1, -1)}L${at(-1, 1)}`;
    case "plus":
      return `M${at(-1.2, 0)}L${at(1.2, 0)}M${at(0, -1.2)}L${at(0, 1.2)}`;
    default:
      return `M${at(-1, 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}

/** The current values of CSS colours at `host`, for a canvas. */
export function resolveColours(host, colours) {
  const probe = el("span", { hidden: "" });
  host.append(probe);
  const found = colours.map((colour) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return found;
}
