// The state of the page, kept in the address, so that Back, reload and copied links work.

import { debounced } from "./dom.js";

const DEFAULTS = {
  item: null, // the query's position, or null
  code: null, // the query's code per method, {name: "0101..."}, for an uploaded image, or null
  label: null, // the label of such an image
  methods: [], // names of the methods shown; two or more are compared
  bits: null, // bits used of each code; null: all
  k: 30,
  radius: 2,
  show: "nearest", // or "radius": what the Neighbours view lists
  view: "neighbours", // or "curves", "map"
  layout: "pca", // or "tsne"
  map: null, // the method of the code map; null: the first that is shown
};

const CHOICES = {
  show: ["nearest", "radius"],
  view: ["neighbours", "curves", "map"],
  layout: ["pca", "tsne"],
};

// A change of these is a step that Back undoes; sliders and switches only rewrite the address.
const STEPS = ["item", "code", "view"];

let collection = { methods: [], n_items: 0, limits: { k: 200 } };
let current = { ...DEFAULTS };
const listeners = new Set();
// Browsers limit how often the address may be written; a dragged slider would exceed that.
const rewrite = debounced(() => history.replaceState(null, "", href(current)), 200);

export const state = {
  get: () => current,
  set,
  /** `listener(state, previous, isBack)` is called after each change; the result ends the subscription. */
  subscribe(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Read the address, once the collection is known. */
  start(loaded) {
    collection = loaded;
    current = read(location.search);
    window.addEventListener("popstate", () => change(read(location.search), true));
  },
};

/** Change the state; with `replace`, it is not a step for Back. */
function set(patch, { replace = false } = {}) {
  const next = valid({ ...current, ...patch });
  if (href(next) === href(current)) return;
  const isStep = STEPS.some((key) => address(key, next) !== address(key, current));
  if (isStep && !replace) {
    history.replaceState(null, "", href(current)); // what a pending rewrite would have written
    history.pushState(null, "", href(next));
  }
  change(next);
  rewrite();
}

function change(next, isBack = false) {
  const previous = current;
  current = next;
  for (const listener of listeners) listener(current, previous, isBack);
}

/** Number of bits used of a method's codes. */
export const bitsOf = (method, { bits }) => Math.min(bits ?? method.n_bits, method.n_bits);

/** The methods that are shown, as the server describes them. */
export const shownMethods = ({ methods }) => collection.methods.filter(({ name }) => methods.includes(name));

/** The request parameters of the query under one method; `null` where the method has no code for it. */
export function queryOf({ item, code, label }, method) {
  if (item !== null) return { item };
  if (!code?.[method.name]) return null;
  return { code: code[method.name], label };
}

/** The address of a state that differs from the current one by `patch`: the target of a link. */
export const linkTo = (patch) => href(valid({ ...current, ...patch }));

function href(value) {
  const parts = Object.keys(DEFAULTS).map((key) => address(key, value)).filter(Boolean);
  return parts.length ? `?${parts.join("&")}` : location.pathname;
}

function address(key, value) {
  if (isDefault(key, value[key])) return "";
  const texts = key === "code" ? Object.entries(value.code).map((pair) => pair.join(":")) : [value[key]].flat();
  return texts.map((one) => `${key}=${encodeURIComponent(one).replaceAll("%3A", ":")}`).join("&");
}

function isDefault(key, value) {
  if (key === "methods") return value.length === 1 && value[0] === collection.methods[0]?.name;
  return value === DEFAULTS[key];
}

function read(search) {
  const given = new URLSearchParams(search);
  const value = { ...DEFAULTS, methods: given.getAll("methods"), code: codes(given.getAll("code")) };
  for (const key of ["label", "show", "view", "layout", "map"]) value[key] = given.get(key) ?? DEFAULTS[key];
  for (const key of ["item", "bits", "k", "radius"]) value[key] = whole(given.get(key)) ?? DEFAULTS[key];
  return valid(value);
}

function codes(pairs) {
  // The last colon separates: a method's name may hold one, a code never does.
  const entries = pairs.map((pair) => pair.split(/:(?=[^:]*$)/));
  return entries.length ? Object.fromEntries(entries) : null;
}

const whole = (text) => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : null);

function valid(value) {
  const known = collection.methods.map(({ name }) => name);
  const methods = known.filter((name) => value.methods.includes(name));
  const next = { ...value, methods: methods.length ? methods : known.slice(0, 1) };
  const longest = longestCode(next.methods);
  if (next.item !== null) Object.assign(next, { code: null, label: null });
  if (next.bits !== null) next.bits = next.bits >= longest ? null : Math.max(next.bits, 1);
  next.radius = Math.min(Math.max(next.radius, 0), next.bits ?? longest);
  next.k = Math.min(Math.max(next.k, 1), largestK());
  if (!known.includes(next.map)) next.map = null;
  for (const key of Object.keys(CHOICES)) if (!CHOICES[key].includes(next[key])) next[key] = DEFAULTS[key];
  return next;
}

/** The largest k for this collection. */
export const largestK = () => Math.max(1, Math.min(collection.limits.k, collection.n_items - 1));

/** The length of the longest code of these methods. */
export const longestCode = (names) =>
  Math.max(1, ...collection.methods.filter(({ name }) => names.includes(name)).map(({ n_bits }) => n_bits));
