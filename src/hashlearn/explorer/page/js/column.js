// One method's answer to the query: measures, the query's curve, and the items found.

import { latest } from "./api.js";
import { el, fill } from "./dom.js";
import { plural } from "./format.js";
import { drawHits, outcome } from "./hits.js";
import { drawMeasures } from "./measures.js";
import { focusHit } from "./moving.js";
import { drawQueryCurve } from "./query_curve.js";
import { bitsOf, queryOf } from "./state.js";

const LISTED = 200; // items listed within a radius; the server sends no more at once

/** A column of the Neighbours view; `update(state)` asks the server and resolves to a sentence about the result. */
export function createColumn(method, { api, collection, messages }) {
  const bitsUsed = el("span", { class: "muted small" });
  const problem = el("p", { class: "problem" });
  const measures = el("dl", { class: "measures" });
  const chart = el("div", { class: "curve" });
  const note = el("p", { class: "muted small" });
  const hits = el("div", { class: "hits" });
  const body = el("div", {}, el("div", { class: "figures" }, measures, chart, note), hits);
  const head = el("h3", {}, method.title, " ", bitsUsed);
  const root = el("article", { class: "column", "aria-label": method.title }, head, problem, body);

  const ask = latest(async (signal, state) => {
    const query = queryOf(state, method);
    if (query === null) return null;
    const shared = { method: method.name, bits: bitsOf(method, state), ...query };
    return answers((path, more) => api.get(path, { ...shared, ...more }, signal), state, shared.bits);
  });

  async function update(state) {
    const bits = bitsOf(method, state);
    bitsUsed.textContent = bits < method.n_bits ? `first ${bits} of ${method.n_bits} bits` : plural(bits, "bit");
    root.classList.add("stale");
    root.setAttribute("aria-busy", "true");
    try {
      const answer = await ask(state);
      if (answer === undefined) return null; // a newer request is under way
      if (answer === null) return settle(noCode(method));
      messages.found();
      return show(answer, state);
    } catch (error) {
      messages.failed(error);
      return settle(error.message);
    }
  }

  // Ends waiting; a sentence replaces the answer.
  function settle(sentence) {
    root.classList.remove("stale");
    root.removeAttribute("aria-busy");
    problem.textContent = sentence;
    body.hidden = sentence !== "";
    return sentence;
  }

  function show(answer, state) {
    settle("");
    drawMeasures(measures, answer, state.radius);
    drawCurve(answer, state);
    const listed = state.show === "radius" ? withinRadius(answer) : nearest(answer);
    const focused = hits.contains(document.activeElement) ? document.activeElement.dataset.item : undefined;
    fill(hits, drawHits({ ...listed, radius: state.radius, whole: method.n_bits }));
    if (focused !== undefined) focusHit(hits, focused);
    return outcome(method.title, listed.hits);
  }

  function drawCurve({ search, curve }, { radius, item }) {
    chart.hidden = curve === null;
    note.hidden = curve !== null;
    if (curve) drawQueryCurve(chart, curve, { radius: Math.min(radius, search.bits), name: method.title });
    const unlabelled = collection.labels && item !== null ? "The query has no label" : "The query's label is unknown";
    note.textContent = search.query.labels?.length
      ? "No other item shares the query's label, so there is no curve."
      : `${unlabelled}, so items are neither right nor wrong.`;
  }

  return { root, update };
}

const noCode = ({ title, encodes }) => `${title} has no code for this query${encodes ? "" : ", because it has no model"}.`;

async function answers(get, { k, radius, show }, bits) {
  const limit = show === "radius" ? LISTED : 1;
  const search = get("search", { k });
  const within = get("radius", { radius: Math.min(radius, bits), limit });
  const curve = search.then(({ query }) => (query.labels?.length ? get("curve").catch(noCurve) : null));
  return Promise.all([search, within, curve]).then(([s, w, c]) => ({ search: s, within: w, curve: c }));
}

// 409: no other item shares the query's label.
function noCurve(error) {
  if (error.status === 409) return null;
  throw error;
}

const nearest = ({ search: { hits, query, ties } }) => ({
  hits,
  code: query.code,
  totals: new Map(ties.map(({ distance, total }) => [distance, total])),
  all: false,
});

function withinRadius({ within: { hits, query, count } }) {
  const all = hits.length === count;
  const totals = new Map();
  for (const { distance } of hits) {
    // The last distance of a truncated list may have more items.
    if (all || distance < hits.at(-1).distance) totals.set(distance, (totals.get(distance) ?? 0) + 1);
  }
  return { hits, code: query.code, totals, all };
}
