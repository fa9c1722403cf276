// A code as a bar of bits; bits that differ from another code stand out by colour and height.

import { el } from "./dom.js";

// Code lengths, and the number of bits in a row up to each.
const ROWS = [[64, 16], [256, 32], [4096, 64]];
const GAPS = 256; // longer codes have cells of a pixel or two: gaps would hide them
const NAMED = 12; // differing bits that the description names

/**
 * Draw `code` ("0101..."), marking the bits that differ from `against`.
 * Only the first `used` bits count; the others are faint. A shortened code keeps the rows of the `whole`
 * number of bits, so that each bit stays in its place.
 */
export function codeBar(code, { against = null, used = code.length, whole = code.length } = {}) {
  const columns = bitsPerRow(whole);
  const rows = Math.ceil(code.length / columns);
  const paths = cells(code, against, used, columns);
  const drawn = Object.entries(paths).map(([kind, d]) => (d ? el("path", { class: kind, d }) : null));
  return el(
    "svg",
    {
      class: "bits",
      role: "img",
      "aria-label": describe(code, against, used),
      viewBox: `0 0 ${columns} ${rows}`,
      preserveAspectRatio: "none",
      style: { height: `${barHeight(rows)}px` },
    },
    drawn,
  );
}

function bitsPerRow(length) {
  const row = ROWS.find(([longest]) => length <= longest)?.[1] ?? Math.ceil(Math.sqrt(length));
  return Math.ceil(length / Math.ceil(length / row)); // rows of one length, as far as possible
}

// One row needs some height; sixty-four rows must not fill the screen.
const barHeight = (rows) => Math.max(12, Math.min(rows * 8, 96));

function cells(code, against, used, columns) {
  const paths = { "off unused": "", "on unused": "", off: "", on: "", "differs off": "", "differs on": "" };
  const tight = code.length > GAPS;
  const width = tight ? 1 : 0.86;
  let start = 0;
  while (start < code.length) {
    const kind = kindOf(start);
    let end = start + 1;
    // Without gaps equal neighbours are one rectangle: thousands of bits stay a short path.
    while (tight && end < code.length && end % columns && kindOf(end) === kind) end += 1;
    const [x, y] = [start % columns, Math.floor(start / columns)];
    const [top, height] = kind.startsWith("differs") || tight ? [y, 1] : [y + 0.16, 0.68];
    const across = round(end - start - 1 + width);
    paths[kind] += `M${x} ${round(top)}h${across}v${height}h-${across}z`;
    start = end;
  }
  return paths;

  function kindOf(bit) {
    const value = code[bit] === "1" ? "on" : "off";
    if (bit >= used) return `${value} unused`;
    return against !== null && against[bit] !== code[bit] ? `differs ${value}` : value;
  }
}

const round = (value) => Number(value.toFixed(2));

function describe(code, against, used) {
  if (against === null) return `code of ${code.length} bits${used < code.length ? `, the first ${used} used` : ""}`;
  const different = [];
  for (let bit = 0; bit < used; bit += 1) if (code[bit] !== against[bit]) different.push(bit + 1);
  if (!different.length) return `no bit of ${used} differs`;
  const rest = different.length - NAMED;
  const named = different.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `${different.length} of ${used} bits ${different.length === 1 ? "differs" : "differ"}: ${named}`;
}
