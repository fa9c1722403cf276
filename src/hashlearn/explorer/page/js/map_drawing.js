// The code map's canvas: its drawing, the chosen disc, and the visible part.

import { Discs } from "./map_discs.js";
import { labelEntries } from "./map_labels.js";
import { placeNames } from "./map_names.js";
import { paint } from "./map_paint.js";
import { MapView } from "./map_view.js";
import { resolveColours } from "./palette.js";

const THEME = {
  ink: "var(--ink)",
  paper: "var(--surface)",
  accent: "var(--accent)",
  other: "color-mix(in srgb, var(--muted) 40%, var(--surface))",
};
const NO_MARKS = { query: -1, hits: [] };

export class MapDrawing {
  /** Draw on `canvas`; `chosen(disc, place)` is called with the chosen disc, -1 for none, and its place. */
  constructor(canvas, chosen) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.chosen = chosen;
    this.view = new MapView();
    this.scene = null; // the argument of `paint`; null: no map yet
    this.ratio = 1;
    this.scheduled = 0;
    new ResizeObserver(() => this.resize()).observe(canvas);
    document.addEventListener("themechange", () => this.recolour());
  }

  get map() {
    return this.scene?.discs.map;
  }

  get cursor() {
    return this.scene?.cursor ?? -1;
  }

  /** Draw another map (the answer of `/api/map`); the result is its legend's entries. */
  show(map, labels) {
    this.choose(-1);
    const { entries, colourOf } = labelEntries(map, labels);
    const names = placeNames(map, { entries, colourOf });
    const discs = new Discs(map);
    this.scene = { discs, view: this.view, colourOf, names, highlight: null, marks: NO_MARKS, cursor: -1 };
    this.entries = entries;
    this.recolour();
    return entries;
  }

  /** Ring the discs of the query's code and of its nearest; codes that are not drawn are left out. */
  mark(query, nearest) {
    const { byCode } = this.scene.discs;
    const marks = { query: byCode.get(query) ?? -1, hits: nearest.flatMap((code) => byCode.get(code) ?? []) };
    this.change({ marks });
    return marks;
  }

  unmark() {
    this.change({ marks: NO_MARKS });
  }

  /** Fade all discs but those of one entry of the legend; `null`: none. */
  highlight(entry) {
    this.change({ highlight: entry });
  }

  choose(i) {
    if (this.cursor === i) return;
    this.change({ cursor: i });
    this.chosen(i, this.placeOf(i));
  }

  under(left, top) {
    return this.scene ? this.scene.discs.under(left, top, this.view) : -1;
  }

  /** Choose the next disc in the direction of an arrow key; the first time, the query's. */
  step(key) {
    const { discs, cursor, marks } = this.scene;
    const first = marks.query >= 0 ? marks.query : discs.central(this.view);
    const next = cursor < 0 ? first : discs.towards(cursor, key);
    this.view.reveal(discs.map.x[next], discs.map.y[next]);
    this.choose(next);
  }

  /** Zoom around a pixel; without one around the chosen disc, or the middle. */
  zoom(factor, left = this.placeOf(this.cursor)?.left, top = this.placeOf(this.cursor)?.top) {
    this.view.zoomAt(factor, left, top);
    this.moved();
  }

  pan(right, down) {
    this.view.pan(right, down);
    this.moved();
  }

  reset() {
    this.view.reset();
    this.moved();
  }

  moved() {
    // One finger scrolls the page while the whole map is visible, and pans once it is zoomed.
    this.canvas.style.touchAction = this.view.zoom === 1 ? "pan-y" : "none";
    const place = this.placeOf(this.cursor);
    if (place && !this.view.holds(place)) this.choose(-1);
    else if (place) this.chosen(this.cursor, place);
    this.repaint();
  }

  placeOf(i) {
    if (i < 0) return null;
    const { discs } = this.scene;
    const radius = discs.radius(i, discs.unit(this.view));
    return { left: this.view.left(discs.map.x[i]), top: this.view.top(discs.map.y[i]), radius };
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return; // the view is hidden
    this.ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.view.resize(width, height);
    this.moved();
  }

  recolour() {
    if (!this.scene) return;
    const host = this.canvas.parentNode;
    const theme = resolveColours(host, Object.values(THEME));
    const colours = resolveColours(host, this.entries.map(({ colour }) => colour));
    this.change({ theme: Object.fromEntries(Object.keys(THEME).map((name, i) => [name, theme[i]])), colours });
  }

  change(patch) {
    if (this.scene) Object.assign(this.scene, patch);
    this.repaint();
  }

  repaint() {
    this.scheduled ||= requestAnimationFrame(() => {
      this.scheduled = 0;
      if (this.scene) paint(this.context, this.scene, this.ratio);
    });
  }
}
