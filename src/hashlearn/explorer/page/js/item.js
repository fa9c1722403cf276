// One item: its image, its text, or its id.

import { el } from "./dom.js";

const SMALL = 64; // images of fewer pixels are enlarged with sharp pixels

/** The element that shows an item. */
export function showItem(item) {
  if (item.image) return picture(item.image, `item ${item.id}`);
  if (item.text !== null) return el("span", { class: "text" }, item.text || "(empty line)");
  return el("span", { class: "text id" }, `id ${item.id}`);
}

/** An image in a square frame. */
export function picture(source, alt) {
  // Decoded at once: small images would flash when a list is drawn again.
  const image = el("img", { src: source, alt, decoding: "sync", onload: sharpen, onerror: missing });
  return el("span", { class: "picture" }, image);
}

function sharpen({ target }) {
  target.classList.toggle("sharp", target.naturalWidth < SMALL);
}

function missing({ target }) {
  target.replaceWith(el("span", { class: "muted small" }, "no image"));
}
