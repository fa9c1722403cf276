// The card beside a disc of the code map: an item with that code, its label, the number of items, the code.

import { latest } from "./api.js";
import { el, fill } from "./dom.js";
import { plural } from "./format.js";
import { showItem } from "./item.js";

const FIRST_BITS = 64; // of a code that are shown
const KEPT = 300; // answers kept, for a pointer that returns
const HINT = "Click, tap again or press Enter to make it the query.";

/** A card inside `stage`; `show(map, disc, place)` fills and places it, and hides it for disc -1. */
export function mapCard(stage, { api, collection }) {
  const card = el("div", { class: "map-card", hidden: true });
  const known = new Map();
  let shown = { map: null, i: -1 };
  let place = null;
  stage.append(card);

  const load = latest(async (signal, position) => {
    if (!known.has(position)) known.set(position, await api.get(`items/${position}`, {}, signal));
    if (known.size > KEPT) known.delete(known.keys().next().value);
    return known.get(position);
  });

  async function describeDisc({ map, i }) {
    fill(card, describe(map, i, collection.labels).map((fact) => el("p", {}, fact)), el("p", { class: "muted" }, HINT));
    try {
      const item = await load(map.item[i]);
      if (!item || shown.i !== i) return;
      const code = firstBits(item.codes[map.method], map.bits);
      card.prepend(el("div", { class: "map-card-item" }, showItem(item)), el("code", {}, code));
    } catch (error) {
      card.append(el("p", { class: "problem" }, error.message));
    }
    if (place) putBeside(card, stage, place);
  }

  return {
    show(map, i, at) {
      const isNew = shown.i !== i || shown.map !== map;
      shown = { map, i };
      place = at;
      card.hidden = i < 0;
      if (i < 0) return;
      if (isNew) describeDisc(shown);
      putBeside(card, stage, place);
    },
  };
}

/** Sentences about the disc `i`. */
export function describe(map, i, labels) {
  const count = map.count[i];
  const items = `${plural(count, "item")} ${count === 1 ? "has" : "have"} this code.`;
  if (!labels) return [items];
  if (map.label[i] < 0) return ["No label.", items];
  const label = `Label ${labels.names[map.label[i]]}.`;
  if (count === 1) return [label, items];
  const share = map.purity[i] === 1 ? "All" : `${Math.floor(map.purity[i] * 100)} %`; // 100 % only if it is all
  return [label, items, `${share} of them have this label.`];
}

/** The first bits of a code in groups of eight. */
function firstBits(code, bits) {
  const shown = code.slice(0, Math.min(bits, FIRST_BITS)).match(/.{1,8}/g).join(" ");
  return bits > FIRST_BITS ? `${shown} ...` : shown;
}

function putBeside(card, stage, { left, top, radius }) {
  const box = card.getBoundingClientRect();
  const beyond = left + radius + 14 + box.width > stage.clientWidth;
  const x = beyond ? left - radius - 14 - box.width : left + radius + 14;
  const within = (value, room) => Math.max(4, Math.min(value, room - 4));
  card.style.left = `${within(x, stage.clientWidth - box.width)}px`;
  card.style.top = `${within(top - box.height / 2, stage.clientHeight - box.height)}px`;
}
