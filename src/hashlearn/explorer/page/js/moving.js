// Arrow keys between the items of one list.

/** Move the focus by an arrow key, Home or End. */
export function moveFocus(event) {
  const from = event.target.closest(".hit");
  const all = from ? [...from.closest(".hits").querySelectorAll(".hit")] : [];
  const to = from && target(event.key, from, all);
  if (!to) return;
  event.preventDefault();
  handOver(from, to);
}

/** Give the focus to the item at `position` of a list that was drawn again; to the first if it is gone. */
export function focusHit(list, position) {
  const first = list.querySelector(".hit");
  if (first) handOver(first, list.querySelector(`.hit[data-item="${position}"]`) ?? first);
}

// One item of a list is a stop for Tab: the one that had the focus last.
function handOver(from, to) {
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

function target(key, from, all) {
  const index = all.indexOf(from);
  if (key === "ArrowRight") return all[index + 1];
  if (key === "ArrowLeft") return all[index - 1];
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (key === "ArrowDown") return inNextRow(from, all.slice(index + 1));
  if (key === "ArrowUp") return inNextRow(from, all.slice(0, index).reverse());
  return undefined;
}

// The item of the first other row whose middle is nearest.
function inNextRow(from, candidates) {
  const box = (node) => node.getBoundingClientRect();
  const here = box(from);
  const sameRow = (node, top) => Math.abs(box(node).top - top) < here.height / 2;
  const away = (node) => Math.abs(box(node).left + box(node).width / 2 - here.left - here.width / 2);
  const other = candidates.find((node) => !sameRow(node, here.top));
  if (!other) return undefined;
  const row = candidates.filter((node) => sameRow(node, box(other).top));
  return row.reduce((best, node) => (away(node) < away(best) ? node : best));
}
