// The list of found items: one group per distance, the radius as a line, arrow keys between items.

import { codeBar } from "./bits.js";
import { el } from "./dom.js";
import { labelText, labelWords, plural } from "./format.js";
import { showItem } from "./item.js";
import { linkTo } from "./state.js";

/**
 * Groups of equal distance, nearest first, and the line where the radius ends.
 * `totals` maps a distance to its number of items, where known; `all` says that all items within
 * the radius are listed; `whole` is the method's number of bits.
 */
export function drawHits({ hits, code, totals, all, radius, whole }) {
  const groups = byDistance(hits);
  const bar = { against: code, whole };
  const parts = groups.map((group) => drawGroup(group, totals.get(group[0].distance), bar));
  const inside = groups.filter(([first]) => first.distance <= radius).length;
  parts.splice(inside, 0, radiusLine(radius, inside, groups.length, all));
  const first = parts.map((part) => part.querySelector(".hit")).find(Boolean);
  first?.setAttribute("tabindex", "0"); // one stop for Tab; arrow keys go on from there
  return parts;
}

// Hits come nearest first, so equal distances stand together.
function byDistance(hits) {
  const groups = [];
  for (const hit of hits) {
    if (groups.at(-1)?.[0].distance === hit.distance) groups.at(-1).push(hit);
    else groups.push([hit]);
  }
  return groups;
}

function drawGroup(group, total, bar) {
  const name = `distance ${group[0].distance}`;
  return el(
    "div",
    { class: "group", role: "group", "aria-label": name },
    el("h4", {}, el("b", {}, `${name}:`), " ", el("span", { class: "muted" }, tied(group.length, total))),
    el("div", { class: "items" }, group.map((hit) => drawHit(hit, bar))),
  );
}

function tied(shown, total) {
  if (total === undefined) return `${shown} shown`;
  if (shown < total) return `${shown} shown of ${total} tied`;
  return total === 1 ? "1 item" : `${total} tied, all shown`;
}

function radiusLine(radius, inside, n_groups, all) {
  let words = `radius ${radius} ends here`;
  if (inside === 0) words = `nothing within radius ${radius}`;
  else if (all) words = `all within radius ${radius} are shown`;
  else if (inside === n_groups) words = `all shown lie within radius ${radius}`;
  return el("p", { class: "radius-line" }, el("span", {}, words));
}

function drawHit({ item, distance, code, relevant }, bar) {
  const wrong = relevant === false;
  const words = [`id ${item.id}`, item.labels && labelWords(item.labels), `distance ${distance}`, wrong && "wrong"];
  return el(
    "a",
    {
      class: wrong ? "hit wrong" : "hit",
      href: linkTo({ item: item.position }),
      tabindex: "-1",
      title: words.filter(Boolean).join(", "),
      dataset: { item: item.position },
    },
    showItem(item),
    el("span", { class: "caption" }, caption(item), wrong ? cross() : null),
    codeBar(code, bar),
  );
}

const cross = () => el("span", { class: "cross" }, "✕", el("span", { class: "unseen" }, " wrong"));

// Items without image and text show their id already.
function caption({ id, labels, image, text }) {
  const unseen = labels?.length ? el("span", { class: "unseen" }, "label ") : null;
  if (labels) return el("span", { class: "label" }, unseen, labelText(labels));
  return image || text ? el("span", { class: "label muted" }, `id ${id}`) : null;
}

/** A sentence about the result, for screen readers. */
export function outcome(title, hits) {
  const wrong = hits.filter(({ relevant }) => relevant === false).length;
  const known = hits.some(({ relevant }) => relevant !== null);
  return `${title}: ${plural(hits.length, "item")} shown${known ? `, ${wrong} wrong` : ""}.`;
}
