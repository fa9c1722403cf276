// The table of the Curves view: one row per method, the best of each column marked.

import { el } from "./dom.js";
import { count, share } from "./format.js";

const BEST = " (best of each column in bold)";
const RANKS = [10, 30, 100];

const at = (answer, k) => answer.precision_at.precision[answer.precision_at.k.indexOf(k)] ?? null;

function measures(answers) {
  return [
    { title: "Area under PR", value: (answer) => answer.pr_area },
    { title: `MAP of the first ${count(answers[0].map_cutoff)}`, value: (answer) => answer.mean_average_precision },
    ...RANKS.map((k) => ({ title: `Precision at ${k}`, value: (answer) => at(answer, k) })),
  ];
}

/** The whole-set measures of `{answer, method}`; methods whose name is `hidden` are greyed. */
export function measuresTable(rows, hidden) {
  const columns = measures(rows.map(({ answer }) => answer));
  const best = columns.map(({ value }) => Math.max(...rows.map(({ answer }) => value(answer) ?? -1)));
  const cell = ({ value }, answer, i) => {
    const number = value(answer);
    const isBest = rows.length > 1 && number === best[i];
    return el("td", { class: isBest ? "best" : null }, share(number));
  };
  const row = ({ answer, method }) =>
    el(
      "tr",
      { class: hidden.has(method.name) ? "stale" : null },
      el("th", { scope: "row" }, method.title),
      el("td", {}, String(answer.bits)),
      columns.map((column, i) => cell(column, answer, i)),
    );
  const titles = ["Method", "Bits", ...columns.map(({ title }) => title)];
  return el(
    "table",
    { class: "numbers" },
    el("caption", {}, "Whole-set measures", rows.length > 1 && el("span", { class: "muted" }, BEST)),
    el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, rows.map(row)),
  );
}
