// Painting of the code map: discs, notches, names of labels, rings of the query and its nearest.

import { paintNames } from "./map_names.js";

const FAINT = 0.13; // discs of labels that are not highlighted
const NOTCH_FROM = 3.2; // pixels of radius from which a notch can be seen

/**
 * Paints a scene, which has `discs`, `view`, `colours` (of labels, "others" last), `colourOf` (per disc),
 * `theme` ({ink, paper, accent, other}), `highlight` (a colour's index or null), `marks` ({query, hits}),
 * `cursor` (a disc or -1) and `names` (of `placeNames`).
 */
export function paint(context, scene, ratio) {
  const { discs, view, cursor } = scene;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  const unit = discs.unit(view);
  for (const i of discs.order) paintDisc(context, scene, i, unit);
  context.globalAlpha = 1;
  for (const i of scene.marks.hits) ring(context, scene, i, unit, { colour: scene.theme.ink, gap: 1.5, width: 1.5 });
  paintNames(context, scene);
  if (scene.marks.query >= 0) crosshair(context, scene, scene.marks.query, unit);
  if (cursor >= 0) ring(context, scene, cursor, unit, { colour: scene.theme.accent, gap: 3.5, width: 3 });
}

function paintDisc(context, { discs, view, colours, colourOf, theme, highlight }, i, unit) {
  const radius = discs.radius(i, unit);
  const [left, top] = [view.left(discs.map.x[i]), view.top(discs.map.y[i])];
  if (left < -radius || top < -radius || left > view.width + radius || top > view.height + radius) return;
  context.globalAlpha = highlight === null || highlight === colourOf[i] ? 1 : FAINT;
  context.fillStyle = colours[colourOf[i]];
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.fill();
  if (radius < NOTCH_FROM) return;
  notch(context, left, top, radius, discs.map.purity[i], theme);
  context.strokeStyle = theme.paper; // a thin line of paper keeps overlapping discs apart
  context.lineWidth = 0.8;
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** Grey the share of items that do not have the most frequent label. */
function notch(context, left, top, radius, purity, theme) {
  if (purity === null || purity >= 1) return;
  const half = Math.PI * (1 - purity);
  context.fillStyle = theme.other;
  context.beginPath();
  context.moveTo(left, top);
  context.arc(left, top, radius, -Math.PI / 2 - half, -Math.PI / 2 + half);
  context.fill();
}

function ring(context, { discs, view }, i, unit, { colour, gap, width }) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.arc(view.left(discs.map.x[i]), view.top(discs.map.y[i]), discs.radius(i, unit) + gap, 0, 2 * Math.PI);
  context.stroke();
}

function crosshair(context, scene, i, unit) {
  const { discs, view, theme } = scene;
  const radius = discs.radius(i, unit) + 4;
  const [left, top] = [view.left(discs.map.x[i]), view.top(discs.map.y[i])];
  for (const [colour, width] of [[theme.paper, 6], [theme.accent, 2.5]]) {
    ring(context, scene, i, unit, { colour, gap: 4, width });
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(left + dx * radius, top + dy * radius);
      context.lineTo(left + dx * (radius + 9), top + dy * (radius + 9));
    }
    context.stroke();
  }
}
