// The small precision-recall curve of one query, with the current radius marked.

import { createChart } from "./chart.js";
import { plural, share } from "./format.js";
import { seriesLook } from "./palette.js";

const SHARES = { domain: [0, 1], format: String };
const charts = new WeakMap(); // one per place, so that a moved slider redraws and keeps the focus

/** Draw a query's `curve` (the answer of `/api/curve`) inside `root`; `name` says whose it is. */
export function drawQueryCurve(root, curve, { radius, name }) {
  if (!charts.has(root) || !root.firstChild) charts.set(root, makeChart(root, name));
  const { radii, recall, precision } = curve;
  const points = radii.map((at, i) => ({ x: recall[i], y: precision[i], at, text: readOut(curve, i) }));
  const marked = points[Math.min(radius, points.length - 1)];
  const mark = marked && { ...marked, name: marked.y === null ? "" : `radius ${marked.at}` };
  charts.get(root).draw([{ title: name, look: seriesLook(0), points }], mark);
}

function makeChart(root, name) {
  return createChart(root, {
    name: `Precision and recall of this query over radii, ${name}`,
    x: { ...SHARES, title: "Recall" },
    y: { ...SHARES, title: "Precision" },
    compact: true,
    ratio: 0.5,
  });
}

function readOut({ radii, counts, precision, recall }, i) {
  if (precision[i] === null) return `radius ${radii[i]}: nothing within`;
  const measured = `precision ${share(precision[i])}, recall ${share(recall[i])}`;
  return `radius ${radii[i]}: ${plural(counts[i], "item")}, ${measured}`;
}
