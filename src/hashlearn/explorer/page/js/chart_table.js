// A chart's numbers as a table, also for screen readers.

import { el, fill } from "./dom.js";

/** A closed table of a chart; its rows are made when it is opened, since long codes have many. */
export function numbersTable(name, columns, atTitle) {
  const body = el("div", { class: "chart-numbers-scroll" });
  const node = el("details", { class: "chart-numbers" }, el("summary", {}, "Numbers"), body);
  let shown = [];
  const make = () => node.open && fill(body, table(name, shown, columns, atTitle));
  node.addEventListener("toggle", make);
  return {
    node,
    draw(series) {
      shown = series;
      make();
    },
  };
}

function table(name, series, columns, atTitle) {
  const names = series.map(({ title }) => el("th", { colspan: columns.length, scope: "colgroup" }, title));
  const titles = series.flatMap(() => columns.map(({ title }) => el("th", { scope: "col" }, title)));
  const longest = series.reduce((most, { points }) => (points.length > most.length ? points : most), []);
  const rows = longest.map(({ at }, row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, String(at)),
      series.flatMap(({ points }) => columns.map(({ value }) => el("td", {}, points[row] ? value(points[row]) : ""))),
    ),
  );
  return el(
    "table",
    { class: "numbers" },
    el("caption", { class: "unseen" }, name),
    el("thead", {}, el("tr", {}, el("th", { scope: "col", rowspan: 2 }, atTitle), names), el("tr", {}, titles)),
    el("tbody", {}, rows),
  );
}
