// A line chart in SVG: axes, grid, series, a read-out by pointer and keys, and its numbers as a table.

import { step } from "./chart_keys.js";
import { makeScale } from "./chart_scale.js";
import { numbersTable } from "./chart_table.js";
import { el, fill } from "./dom.js";
import { markerPath } from "./palette.js";

const MARGIN = { top: 10, right: 14, bottom: 42, left: 48 };
const COMPACT_MARGIN = { top: 8, right: 10, bottom: 34, left: 42 };
const MARKER_GAP = 26; // pixels between markers, so that a curve of 4,097 points stays a curve
const HINT = "Point at a curve, or move along it with the arrow keys.";
const KEYS = "Left and right arrow keys move along a curve, up and down change the curve.";

/**
 * A chart inside `root`; `draw(series, mark)` draws, and draws again.
 *
 * `x` and `y` are `{title, domain, log, format}`. A series is `{title, look, points}`, a point
 * `{x, y, at, text}`: `at` names its row in the table, `text` is read out; `y: null` breaks the curve. With
 * `lead`, a thin line runs from the left border to the first point.
 * `columns` are the table's `{title, value(point)}`, `atTitle` heads its first column. `mark` is a
 * point to be named on the chart. A compact chart has no table and less room.
 */
export function createChart(root, { name, x, y, columns, atTitle, compact = false, ratio = 0.68 }) {
  const svg = el("svg", {
    class: "chart-drawing",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "line chart",
    "aria-label": `${name}. ${KEYS}`,
  });
  const readout = el("p", { class: "chart-readout" });
  const stage = el("div", { class: "chart-stage" }, svg);
  const table = compact ? null : numbersTable(name, columns, atTitle);
  const axes = { x, y, compact };
  let frame = null;
  let shown = { series: [], mark: null };
  let cursor = null;

  function redraw() {
    const width = stage.clientWidth;
    if (!width) return; // not on the page yet, or its view is hidden
    frame = makeFrame(axes, width, Math.max(compact ? 130 : 230, Math.min(width * ratio, 400)));
    svg.setAttribute("viewBox", `0 0 ${width} ${frame.height}`);
    svg.style.height = `${frame.height}px`;
    fill(svg, axisX(frame), axisY(frame), shown.series.map((one) => curve(frame, one)), markNode(frame, shown.mark));
    point(cursor);
  }

  function point(next) {
    const one = shown.series[next?.series]?.points[next?.point];
    cursor = one && one.y !== null ? next : null;
    svg.querySelector(".chart-cursor")?.remove();
    if (cursor === null) {
      fill(readout, compact ? null : el("span", { class: "muted" }, HINT));
      return;
    }
    const { look, title } = shown.series[cursor.series];
    const place = { cx: frame.x.place(one.x), cy: frame.y.place(one.y), r: 6 };
    svg.append(el("circle", { class: "chart-cursor", ...place, style: { stroke: look.colour } }));
    const whose = el("strong", { style: { color: look.colour } }, `${title} `);
    fill(readout, shown.series.length > 1 && whose, one.text);
  }

  const follow = (event) => {
    readout.removeAttribute("aria-live");
    if (frame) point(nearest(frame, shown.series, event, svg));
  };
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && point(null)); // the read-out of a tap stays
  svg.addEventListener("blur", () => point(null));
  svg.addEventListener("keydown", (event) => {
    const next = step(shown.series, cursor, event);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    readout.setAttribute("aria-live", "polite"); // spoken for keys only, not for a passing pointer
    point(next);
  });
  new ResizeObserver(redraw).observe(stage);
  fill(root, el("figure", { class: compact ? "chart chart-compact" : "chart" }, stage, readout, table?.node));

  return {
    draw(series, mark = null) {
      if (series.length !== shown.series.length) cursor = null; // it would stand on another curve
      shown = { series, mark };
      table?.draw(series);
      redraw();
    },
  };
}

function makeFrame({ x, y, compact }, width, height) {
  const margin = compact ? COMPACT_MARGIN : MARGIN;
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  return {
    height, margin, right, bottom,
    x: { ...x, ...makeScale(x, [margin.left, right]), most: Math.max(2, Math.floor((right - margin.left) / 52)) },
    y: { ...y, ...makeScale(y, [bottom, margin.top]), most: Math.max(2, Math.floor((bottom - margin.top) / 34)) },
  };
}

function axisX({ x, margin, right, bottom, height }) {
  const marks = x.ticks(x.most).map((tick) => {
    const left = x.place(tick);
    return [
      el("line", { class: "chart-grid", x1: left, x2: left, y1: margin.top, y2: bottom }),
      el("text", { class: "chart-tick", x: left, y: bottom + 16, "text-anchor": "middle" }, x.format(tick)),
    ];
  });
  const middle = (margin.left + right) / 2;
  const title = el("text", { class: "chart-axis-title", x: middle, y: height - 5, "text-anchor": "middle" }, x.title);
  return el("g", { "aria-hidden": "true" }, marks, title);
}

function axisY({ y, margin, right, bottom }) {
  const marks = y.ticks(y.most).map((tick) => {
    const top = y.place(tick);
    return [
      el("line", { class: "chart-grid", x1: margin.left, x2: right, y1: top, y2: top }),
      el("text", { class: "chart-tick", x: margin.left - 7, y: top + 4, "text-anchor": "end" }, y.format(tick)),
    ];
  });
  const middle = (margin.top + bottom) / 2;
  const turned = { transform: `translate(11 ${middle}) rotate(-90)`, "text-anchor": "middle" };
  return el("g", { "aria-hidden": "true" }, marks, el("text", { class: "chart-axis-title", ...turned }, y.title));
}

function curve({ x, y, margin }, { look, points, lead }) {
  const places = points.map((one) => (one.y === null ? null : [x.place(one.x), y.place(one.y)]));
  const line = places.map((place, i) => place && `${places[i - 1] ? "L" : "M"}${place.map((p) => p.toFixed(1))}`);
  const style = { stroke: look.colour };
  const before = lead && places[0] ? `M${margin.left} ${places[0][1]}H${places[0][0]}` : null;
  return el(
    "g",
    { class: "chart-series", "aria-hidden": "true" },
    before && el("path", { class: "chart-lead", d: before, style }),
    el("path", { class: "chart-line", d: line.join(""), "stroke-dasharray": look.dash, style }),
    el("path", {
      class: "chart-markers",
      d: markers(places.filter(Boolean), look.marker),
      style: { ...style, fill: look.colour },
    }),
  );
}

function markers(places, marker) {
  let last = null;
  const kept = places.filter((place) => {
    if (last && Math.hypot(place[0] - last[0], place[1] - last[1]) < MARKER_GAP) return false;
    last = place;
    return true;
  });
  return kept.map(([left, top]) => markerPath(marker, left, top, 3.2)).join("");
}

function markNode({ x, y, right }, mark) {
  if (!mark || mark.y === null) return null;
  const [left, top] = [x.place(mark.x), y.place(mark.y)];
  const ends = left > right / 2;
  const text = { class: "chart-mark-text", x: left + (ends ? -9 : 9), y: top + (top < 24 ? 16 : -8) };
  return el(
    "g",
    { class: "chart-mark", "aria-hidden": "true" },
    el("circle", { cx: left, cy: top, r: 5 }),
    el("text", { ...text, "text-anchor": ends ? "end" : "start" }, mark.name),
  );
}

function nearest({ x, y }, series, event, svg) {
  const box = svg.getBoundingClientRect();
  const [left, top] = [event.clientX - box.left, event.clientY - box.top];
  let best = null;
  let least = Infinity;
  series.forEach(({ points }, s) =>
    points.forEach((one, p) => {
      if (one.y === null) return;
      const away = Math.hypot(x.place(one.x) - left, y.place(one.y) - top);
      // The last of several points in one place: the largest radius with the same result.
      if (away <= least) [least, best] = [away, { series: s, point: p }];
    }),
  );
  return best;
}
