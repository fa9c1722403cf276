// The query panel: the query, and the ways to choose it.

import { latest } from "./api.js";
import { codeBar } from "./bits.js";
import { el, fill } from "./dom.js";
import { labelText, labelWords } from "./format.js";
import { picture, showItem } from "./item.js";
import { bitsOf, shownMethods } from "./state.js";
import { mountUpload, seenImage } from "./upload.js";

export function mountQuery(root, context) {
  const { state, api, collection, messages } = context;
  const shown = el("div", { class: "query-item" });
  const codes = el("div", { class: "query-codes" });
  const problem = el("p", { class: "problem", role: "status" });
  const named = { "aria-label": "Label of the random query" };
  const only = collection.labels && labelSelect(collection.labels, "any label", named);
  const field = el("input", { autocomplete: "off", placeholder: "id", "aria-label": "Id of an item", size: "8" });
  const load = latest((signal, item) => api.get(`items/${item}`, {}, signal));
  const draw = latest((signal, label) => api.get("items/random", { label }, signal));
  const find = latest((signal, id) => api.get(`ids/${encodeURIComponent(id)}`, {}, signal));
  const drawn = { "aria-keyshortcuts": "r", title: "A random query (r)", onclick: () => random() };
  fill(
    root,
    el("h2", { id: "query-title" }, "Query"),
    shown,
    codes,
    el("div", { class: "row" }, el("button", { type: "button", class: "main", ...drawn }, "Random"), only),
    el("form", { class: "row", onsubmit: goToId }, field, el("button", { title: "Go to an id (/)" }, "Go to id")),
    problem,
  );
  const upload = mountUpload(root, context);
  let item = null; // the query's item, with its codes
  let uploaded = null; // the codes of the image that is shown

  async function attempt(asked, onAnswer, onRefusal = () => {}) {
    problem.textContent = "";
    try {
      const answer = await asked;
      if (answer === undefined) return;
      messages.found();
      onAnswer(answer);
    } catch (error) {
      messages.failed(error);
      if (error.status !== 0) problem.textContent = error.message;
      onRefusal();
    }
  }

  function random(replace = false) {
    const take = ({ position }) => state.set({ item: position, code: null }, { replace });
    return attempt(draw(only?.value || null), take);
  }

  function goToId(event) {
    event.preventDefault();
    const id = field.value.trim();
    if (id) attempt(find(id), ({ position }) => state.set({ item: position, code: null }));
  }

  function update(now) {
    if (now.item === null && now.code === null) random(true);
    else if (now.code !== null) drawUploaded(now);
    else if (item?.position === now.item) drawCodes(now, item.codes);
    else {
      messages.asked("");
      attempt(load(now.item), drawItem, forgetItem);
    }
  }

  function drawItem(answer) {
    if (answer.position !== state.get().item) return; // another query took its place
    messages.asked(sentence(answer, collection));
    [item, uploaded] = [answer, null];
    fill(shown, collection.kind === "id" ? null : showItem(item), facts(item, collection));
    drawCodes(state.get(), item.codes);
  }

  function forgetItem() {
    item = uploaded = null;
    fill(shown);
    fill(codes);
  }

  function drawUploaded(now) {
    drawCodes(now, now.code);
    if (uploaded !== now.code) messages.asked("");
    messages.asked(`Query: an image${now.label === null ? "" : `, label ${now.label}`}.`);
    if (uploaded === now.code) return; // the label select keeps its focus
    [item, uploaded] = [null, now.code];
    problem.textContent = "";
    const seen = seenImage(now.code);
    const image = seen && picture(seen, "your image, as the methods see it");
    fill(shown, image, uploadedFacts(seen !== null, now.label, state, collection));
  }

  function drawCodes(now, byMethod) {
    fill(codes, shownMethods(now).map((method) => namedBar(method, byMethod[method.name], now)));
  }

  return { update, random: () => random(), focusId: () => field.select(), chooseFile: upload.choose };
}

function labelSelect({ names }, none, attributes, chosen = null) {
  const options = names.map((name) => el("option", { value: name, selected: name === chosen }, name));
  return el("select", attributes, el("option", { value: "" }, none), options);
}

const sentence = ({ id, labels }, collection) => `Query id ${id}${collection.labels ? `, ${labelWords(labels)}` : ""}.`;

function facts({ id, labels }, collection) {
  const label = [el("dt", {}, labels?.length > 1 ? "labels" : "label"), el("dd", { class: "big" }, labelText(labels))];
  return el("dl", { class: "facts" }, collection.labels ? label : null, el("dt", {}, "id"), el("dd", {}, id));
}

function uploadedFacts(isSeen, label, state, { labels }) {
  const said = isSeen ? "Your image, as the methods see it." : "The codes of an image that is no longer kept.";
  const words = el("p", { class: "small" }, said);
  const onchange = ({ target }) => state.set({ label: target.value || null });
  const select = labels && labelSelect(labels, "unknown", { onchange }, label);
  return el("div", { class: "facts" }, words, select && el("label", { class: "small" }, "This is a ", select));
}

function namedBar(method, code, now) {
  if (!code) return null;
  const name = now.methods.length > 1 ? el("span", { class: "muted small" }, method.title) : null;
  return el("div", {}, name, codeBar(code, { used: bitsOf(method, now) }));
}
