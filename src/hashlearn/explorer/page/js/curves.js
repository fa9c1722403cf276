// The Curves view: how well distances follow labels over the whole set, all loaded methods together.

import { latest } from "./api.js";
import { createChart } from "./chart.js";
import { measuresTable } from "./curves_table.js";
import { debounced, el, fill } from "./dom.js";
import { count, share } from "./format.js";
import { markerPath, seriesLook } from "./palette.js";
import { bitsOf } from "./state.js";

const PAUSE = 150; // milliseconds that the slider must rest before a request
const OVER_RADII =
  "One point per Hamming radius, from 0 at the left to all bits at the right. " +
  "The area under the curve includes the thin line before radius 0.";
const SHARES = { domain: [0, 1], format: String };

/** Curves of all methods of a collection inside `root`; `update(state)` follows the number of bits. */
export function mountCurves(root, { api, collection, messages }) {
  if (!collection.labels) {
    fill(root, el("p", { class: "muted" }, "Curves need labels, and this collection has none."));
    return { update() {} };
  }
  const view = makeView(root, collection);
  const measured = new Map(); // answers by method and bits, for a slider that returns

  async function measure(method, bits, signal) {
    const key = `${method.name} ${bits}`;
    if (!measured.has(key)) measured.set(key, await api.get("metrics", { method: method.name, bits }, signal));
    return measured.get(key);
  }

  const load = latest((signal, current) =>
    Promise.all(collection.methods.map((method) => measure(method, bitsOf(method, current), signal))),
  );
  let asked = null;
  const show = async (current) => {
    try {
      const answers = await load(current);
      if (!answers) return;
      view.draw(answers);
      messages.found();
    } catch (error) {
      asked = null; // so that the next update tries again
      view.fail(error.message);
      messages.failed(error);
    }
  };
  const showSoon = debounced(show, PAUSE);

  return {
    update(current) {
      const wanted = collection.methods.map((method) => bitsOf(method, current)).join();
      if (wanted === asked) return;
      view.wait();
      (asked === null ? show : showSoon)(current);
      asked = wanted;
    },
  };
}

function makeView(root, collection) {
  const hidden = new Set();
  const radii = el("div", { class: "curves-chart" });
  const ranks = el("div", { class: "curves-chart" });
  const table = el("div", { class: "curves-table" });
  const basis = el("p", { class: "curves-basis" }, "Computing the curves …");
  const problem = el("p", { class: "problem", role: "alert" });
  const switches = legend(collection.methods, hidden, redraw);
  const drawn = el("div", { class: "curves-drawn", hidden: true }, switches, charts(radii, ranks), table);
  fill(root, el("h2", { class: "unseen" }, "Curves of the whole set"), basis, problem, drawn);
  const recallChart = createChart(radii, {
    name: "Precision and recall over Hamming radii",
    x: { ...SHARES, title: "Recall" },
    y: { ...SHARES, title: "Precision" },
    atTitle: "Radius",
    columns: [{ title: "precision", value: ({ y }) => share(y) }, { title: "recall", value: ({ x }) => share(x) }],
  });
  let rankChart = null;
  let answers = [];

  function redraw() {
    const seen = answers.map((answer, i) => ({ answer, method: collection.methods[i], look: seriesLook(i) }));
    const shown = seen.filter(({ method }) => !hidden.has(method.name));
    recallChart.draw(shown.map(overRadii));
    rankChart ??= makeRankChart(ranks, answers);
    rankChart.draw(shown.map(overRanks));
    fill(table, measuresTable(seen, hidden));
  }

  const ready = (isReady) => {
    drawn.classList.toggle("stale", !isReady);
    root.setAttribute("aria-busy", String(!isReady));
  };
  return {
    wait: () => ready(false),
    draw(next) {
      answers = next;
      fill(problem);
      fill(basis, basisText(next));
      drawn.hidden = false;
      redraw();
      ready(true);
    },
    fail(sentence) {
      if (drawn.hidden) fill(basis);
      fill(problem, sentence);
      root.setAttribute("aria-busy", "false");
    },
  };
}

function charts(radii, ranks) {
  const one = (title, chart, meaning) =>
    el("section", { class: "curves-panel" }, el("h3", {}, title), chart, el("p", { class: "muted small" }, meaning));
  return el(
    "div",
    { class: "curves-charts" },
    one("Precision and recall", radii, OVER_RADII),
    one("Precision at k", ranks, "The share of right items among the k nearest."),
  );
}

function makeRankChart(root, answers) {
  const last = Math.max(2, ...answers.map(({ precision_at: { k } }) => k.at(-1) ?? 1));
  return createChart(root, {
    name: "Precision at k",
    x: { title: "k, logarithmic", domain: [1, last], log: true, format: count },
    y: { ...SHARES, title: "Precision" },
    atTitle: "k",
    columns: [{ title: "precision", value: ({ y }) => share(y) }],
  });
}

function overRadii({ answer: { curve }, method, look }) {
  const points = curve.recall.map((recall, radius) => {
    const precision = curve.precision[radius];
    const text = `radius ${radius}: precision ${share(precision)}, recall ${share(recall)}`;
    return { x: recall, y: precision, at: radius, text };
  });
  return { title: method.title, look, points, lead: true };
}

function overRanks({ answer: { precision_at: at }, method, look }) {
  const points = at.k.map((k, i) => {
    const precision = at.precision[i];
    return { x: k, y: precision, at: k, text: `k = ${k}: precision ${share(precision)}` };
  });
  return { title: method.title, look, points };
}

function legend(methods, hidden, redraw) {
  const entries = methods.map((method, i) => {
    const press = ({ currentTarget: entry }) => {
      if (!hidden.delete(method.name)) hidden.add(method.name);
      entry.setAttribute("aria-pressed", String(!hidden.has(method.name)));
      redraw();
    };
    const attributes = { type: "button", class: "legend-entry", "aria-pressed": "true", onclick: press };
    return el("button", attributes, sample(seriesLook(i)), method.title);
  });
  return el("div", { class: "legend", role: "group", "aria-label": "Methods: press to hide or show" }, entries);
}

/** A short piece of a series' line with its marker. */
function sample({ colour, dash, marker }) {
  return el(
    "svg",
    { class: "legend-sample", viewBox: "0 0 34 12", "aria-hidden": "true", style: { stroke: colour } },
    el("path", { class: "chart-line", d: "M1 6H33", "stroke-dasharray": dash }),
    el("path", { class: "chart-markers", d: markerPath(marker, 17, 6, 3.4), style: { fill: colour } }),
  );
}

function basisText(answers) {
  const { n_queries: n, held_out: heldOut } = answers[0];
  const bits = [...new Set(answers.map((answer) => answer.bits))];
  const used = bits.length > 1 ? "bits (their number is in the table)" : bits[0] === 1 ? "bit" : `${bits[0]} bits`;
  const queries = `${count(n)} ${heldOut ? "held-out " : ""}${n === 1 ? "query" : "queries"}`;
  const text =
    `Mean over ${queries}, each ranked against all other items by the first ${used}. ` +
    "Measures are means over all orders of ties; an empty radius has precision 0.";
  return heldOut ? text : `${text} If a model was trained on these items, the curves are too optimistic.`;
}
