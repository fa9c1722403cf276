// Colours of labels on the map, and its legend.

import { el, fill } from "./dom.js";
import { DISTINCT_LABELS, labelColour } from "./palette.js";

/**
 * Colours of a map's labels: `entries` of `{name, colour, count}`, the most frequent where there are more
 * labels than colours, then the rest in grey; `colourOf` gives each disc its entry.
 */
export function labelEntries(map, labels) {
  const names = labels?.names ?? [];
  const counts = names.map(() => 0);
  map.label.forEach((label, i) => label >= 0 && (counts[label] += map.count[i]));
  const kept = keptLabels(counts);
  const entries = kept.map((label, entry) => {
    const colour = labelColour(names.length > DISTINCT_LABELS ? entry : label);
    return { name: names[label], colour, count: counts[label] };
  });
  const rest = sum(map.count) - sum(entries.map(({ count }) => count));
  if (rest > 0) entries.push({ ...restOf(names, kept), count: rest });
  const entryOf = new Map(kept.map((label, entry) => [label, entry]));
  return { entries, colourOf: map.label.map((label) => entryOf.get(label) ?? kept.length) };
}

function restOf(names, kept) {
  if (!names.length) return { name: "all items", colour: labelColour(0), isRest: true };
  return { name: names.length > kept.length ? "others" : "no label", colour: labelColour(-1), isRest: true };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function keptLabels(counts) {
  const all = counts.map((_, label) => label);
  if (all.length <= DISTINCT_LABELS) return all;
  const frequent = all.sort((a, b) => counts[b] - counts[a]);
  return frequent.slice(0, DISTINCT_LABELS).filter((label) => counts[label] > 0);
}

/** The legend of a map: one button per entry, pressed to highlight; calls `choose(entry or null)`. */
export function mapLegend(choose) {
  const node = el("div", { class: "legend map-legend", role: "group", "aria-label": "Labels: press to highlight one" });
  let entries = [];
  let chosen = null;
  const press = (entry) => {
    chosen = entry === chosen ? null : entry;
    [...node.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosen)));
    choose(chosen);
  };
  const button = ({ name, colour }, entry) =>
    el(
      "button",
      { type: "button", class: "legend-entry", title: name, "aria-pressed": "false", onclick: () => press(entry) },
      el("span", { class: "legend-swatch", style: { background: colour } }),
      el("span", { class: "legend-name" }, name),
    );
  return {
    node,
    draw(next) {
      const same = entries.map(({ name }) => name).join("\n") === next.map(({ name }) => name).join("\n");
      const keep = same ? chosen : null;
      [entries, chosen] = [next, null];
      fill(node, next.map(button));
      node.hidden = next.length < 2;
      press(keep);
    },
  };
}
