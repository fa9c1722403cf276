// The Code map view: all distinct codes in two dimensions; a click makes one the query.

import { latest } from "./api.js";
import { debounced, fill } from "./dom.js";
import { count, plural } from "./format.js";
import { describe, mapCard } from "./map_card.js";
import { MapDrawing } from "./map_drawing.js";
import { mapFrame } from "./map_frame.js";
import { listenToMap } from "./map_gestures.js";
import { mapLegend } from "./map_labels.js";
import { bitsOf, queryOf } from "./state.js";

const PAUSE = 150; // milliseconds that a slider must rest before a request

/** The map of a collection's codes inside `root`; `update(state)` follows method, bits, layout and query. */
export function mountCodeMap(root, { state, api, collection, messages }) {
  const legend = mapLegend((entry) => drawing.highlight(entry));
  const frame = mapFrame(root, { state, collection, legend: legend.node });
  const card = mapCard(frame.stage, { api, collection });
  const drawing = new MapDrawing(frame.canvas, (i, place) => {
    frame.canvas.classList.toggle("map-on-disc", i >= 0);
    card.show(drawing.map, i, place);
  });
  listen(drawing, frame, { state, collection, messages });

  const loadMap = latest((signal, params) => api.get("map", params, signal));
  const loadNearest = latest((signal, params) => api.get("search", params, signal));
  let drawn = null;
  let wanted = null;

  async function draw(current, method) {
    const params = { method: method.name, bits: bitsOf(method, current), layout: current.layout };
    wanted = Object.values(params).join();
    if (wanted === drawn) return true;
    const mine = wanted;
    frame.wait(current.layout);
    const map = await loadMap(params);
    if (!map || wanted !== mine) return false; // another map has been requested meanwhile
    legend.draw(drawing.show(map, collection.labels));
    fill(frame.summary, summary(map));
    drawn = mine;
    return true;
  }

  async function mark(current, method) {
    const query = queryOf(current, method);
    if (!query) {
      drawing.unmark();
      fill(frame.marked);
      return;
    }
    const found = await loadNearest({ method: method.name, bits: bitsOf(method, current), k: current.k, ...query });
    if (!found) return;
    const codes = [...new Set(found.hits.map(({ code }) => code))];
    fill(frame.marked, markedText(found.hits.length, codes.length, drawing.mark(found.query.code, codes)));
  }

  async function show(current, method) {
    try {
      if (!(await draw(current, method))) return;
      frame.ready();
      await mark(current, method);
      messages.found();
    } catch (error) {
      frame.fail(error.message);
      messages.failed(error);
    }
  }
  const showSoon = debounced(show, PAUSE);
  let previous = null;

  return {
    update(current) {
      const name = current.map ?? current.methods[0];
      const method = collection.methods.find((one) => one.name === name);
      frame.choose(method, current.layout);
      const slid = previous && (previous.bits !== current.bits || previous.k !== current.k);
      (slid ? showSoon : show)(current, method);
      previous = current;
    },
  };
}

function listen(drawing, frame, { state, collection, messages }) {
  const query = (i) => i >= 0 && state.set({ item: drawing.map.item[i], view: "neighbours" });
  const act = {
    zoom: (...how) => drawing.zoom(...how),
    pan: (right, down) => drawing.pan(right, down),
    reset: () => drawing.reset(),
    zoomed: () => drawing.view.zoom > 1,
    leave: () => drawing.choose(-1),
    hover: (left, top) => drawing.choose(drawing.under(left, top)),
    click(left, top, isTouch) {
      const i = drawing.under(left, top);
      if (isTouch && i !== drawing.cursor) drawing.choose(i); // the first tap shows the card, the second makes it the query
      else query(i);
    },
    step(key) {
      if (!drawing.map) return;
      drawing.step(key);
      messages.say(describe(drawing.map, drawing.cursor, collection.labels).join(" "));
    },
    enter: () => query(drawing.cursor),
  };
  listenToMap(frame.canvas, act);
  frame.onZoom(act);
}

function summary(map) {
  const codes = plural(map.n_distinct, "distinct code");
  const all = `${codes} of ${plural(map.n_items, "item")} at ${plural(map.bits, "bit")}.`;
  if (map.n_covered === map.n_items) return all;
  return `${all} The ${count(map.x.length)} most frequent are drawn: ${plural(map.n_covered, "item")}.`;
}

function markedText(nHits, nCodes, { query, hits }) {
  const where = query >= 0 ? "The cross marks the query's code" : "The query's code is not drawn";
  if (nCodes === 1 && hits[0] === query) return `${where}, which its ${count(nHits)} nearest have too.`;
  const missing = hits.length < nCodes ? `, ${count(hits.length)} of them drawn` : "";
  return `${where}; thin rings mark its ${count(nHits)} nearest (${plural(nCodes, "code")}${missing}).`;
}
