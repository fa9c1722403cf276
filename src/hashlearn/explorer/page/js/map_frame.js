// The controls and texts around the code map's canvas.

import { el, fill } from "./dom.js";
import { ZOOM_STEP } from "./map_gestures.js";

const LAYOUTS = {
  pca: {
    title: "Overview (PCA)",
    reading:
      "The two directions in which the codes vary most. " +
      "Far apart here is far apart in bits; close together here may still be far apart in bits.",
    waiting: "Drawing the map …",
  },
  tsne: {
    title: "Neighbourhoods (t-SNE)",
    reading:
      "Codes that stand close together here are mostly near in bits. " +
      "The size of a group and the gaps between groups mean nothing.",
    waiting: "Computing t-SNE: some seconds, once per method and number of bits.",
  },
};
const DISCS = "Each disc is a code; its area is the number of items with it.";
const COLOURS = "The colour is their most frequent label; the grey notch is the share without that label.";
const KEYS =
  "Arrow keys move between codes, Enter makes one the query, plus and minus zoom, 0 shows all, " +
  "Shift with an arrow key pans.";

/** Everything except the drawing, which uses `canvas` and `stage`. */
export function mapFrame(root, { state, collection, legend }) {
  const canvas = el("canvas", {
    class: "map-canvas",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "map of codes",
    "aria-label": `Code map. ${KEYS}`,
  });
  const stage = el("div", { class: "map-stage" }, canvas);
  const method = methodSelect(state, collection);
  const layouts = layoutSwitch(state);
  const reading = el("p", { class: "muted small" });
  const summary = el("p", { class: "map-summary" });
  const marked = el("p", { class: "map-marked small" });
  const waiting = el("p", { class: "map-waiting", role: "status" });
  const problem = el("p", { class: "problem", role: "alert" });
  const key = el("p", { class: "muted small" }, collection.labels ? `${DISCS} ${COLOURS}` : DISCS);
  const notes = el("div", { class: "map-notes" }, summary, marked, legend, key);
  fill(
    root,
    el("h2", { class: "unseen" }, "Code map"),
    el("div", { class: "map-controls" }, method.node, layouts.node, waiting),
    reading, problem,
    el("div", { class: "map-body" }, stage, notes),
  );
  const busy = (isBusy) => {
    stage.classList.toggle("stale", isBusy);
    root.setAttribute("aria-busy", String(isBusy));
    fill(waiting);
  };
  return {
    canvas, stage, summary, marked,
    onZoom: (act) => stage.append(zoomButtons(act)),
    choose(shown, layout) {
      method.show(shown);
      layouts.show(layout);
      fill(reading, LAYOUTS[layout].reading);
    },
    wait(layout) {
      busy(true);
      fill(waiting, el("progress", { "aria-label": "Waiting for the map" }), LAYOUTS[layout].waiting);
    },
    ready() {
      busy(false);
      fill(problem);
    },
    fail(sentence) {
      root.setAttribute("aria-busy", "false"); // a map of other settings stays greyed
      fill(waiting);
      fill(problem, sentence);
    },
  };
}

function zoomButtons({ zoom, reset }) {
  const button = (text, name, onclick) =>
    el("button", { type: "button", "aria-label": name, title: name, onclick }, text);
  return el(
    "div",
    { class: "map-zoom" },
    button("+", "Zoom in (+)", () => zoom(ZOOM_STEP)),
    button("−", "Zoom out (-)", () => zoom(1 / ZOOM_STEP)),
    button("⤢", "Show all (0)", reset),
  );
}

function methodSelect(state, { methods }) {
  const options = methods.map(({ name, title }) => el("option", { value: name }, title));
  const select = el("select", { id: "map-method", onchange: () => state.set({ map: select.value }) }, options);
  const node = el("label", { class: "map-method", for: "map-method" }, "Method ", select);
  node.hidden = methods.length < 2;
  return { node, show: ({ name }) => (select.value = name) };
}

function layoutSwitch(state) {
  const buttons = Object.entries(LAYOUTS).map(([name, { title }]) => {
    const button = el("button", { type: "button", onclick: () => state.set({ layout: name }) }, title);
    button.dataset.layout = name;
    return button;
  });
  const node = el("div", { class: "choices", role: "group", "aria-label": "Layout" }, buttons);
  return {
    node,
    show: (layout) => buttons.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.layout === layout))),
  };
}
