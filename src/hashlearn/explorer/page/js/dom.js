// Elements in one call, HTML and SVG alike.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(
  "svg g path rect line circle ellipse polyline polygon text tspan defs clipPath pattern use desc".split(" "),
);

/**
 * An element with its attributes and children.
 *
 * `onclick: fn` listens, `style: {...}` sets properties, `dataset: {...}` sets data attributes,
 * `true` sets an empty attribute, `null` and `false` leave it out. Children are nodes or text;
 * `null` is left out, arrays are flattened. "svg:title" makes SVG's own title.
 */
export function el(tag, attributes = {}, ...children) {
  const node = create(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) setAttribute(node, name, value);
  node.append(...nodes(children));
  return node;
}

function create(tag) {
  if (tag.startsWith("svg:")) return document.createElementNS(SVG, tag.slice(4));
  return SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  // Set one by one: the page's security policy refuses style attributes written as text.
  else if (name === "style") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
  else if (name === "dataset") Object.assign(node.dataset, value);
  else node.setAttribute(name, value === true ? "" : value);
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Replace the children of an element. */
export function fill(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

/** A function that runs once calls have paused for `wait` milliseconds, with the last call's arguments. */
export function debounced(run, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), wait);
  };
}

/** Whether a click is meant for the page; with a modifier the browser opens a tab or a window. */
export const isPlainClick = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
