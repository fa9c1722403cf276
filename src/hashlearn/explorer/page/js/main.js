// Start: read the collection, put the parts on the page, and keep them up to date.

import { api } from "./api.js";
import { mountCodeMap } from "./code_map.js";
import { mountCurves } from "./curves.js";
import { isPlainClick } from "./dom.js";
import { plural } from "./format.js";
import { listenToKeys } from "./keys.js";
import { createMessages } from "./messages.js";
import { mountNeighbours } from "./neighbours.js";
import { mountQuery } from "./query.js";
import { mountSettings } from "./settings.js";
import { linkTo, state } from "./state.js";
import { startTheme } from "./theme.js";

const MOUNTS = { neighbours: mountNeighbours, curves: mountCurves, map: mountCodeMap };
const byId = (id) => document.getElementById(id);
const help = byId("help");
const messages = createMessages(byId("notice"), byId("live"), () => retry());
let retry = start;

startTheme(byId("theme"));
byId("help-open").addEventListener("click", () => help.showModal());
start();

async function start() {
  const collection = await api.get("collection").catch((error) => {
    messages.failed(error);
    byId("loading").textContent = `The collection could not be loaded. ${error.status === 0 ? "" : error.message}`;
  });
  if (!collection) return;
  messages.found();
  byId("loading").remove();
  build(collection);
}

function build(collection) {
  document.title = `${collection.name} · hashlearn explorer`;
  byId("collection").textContent = `${collection.name}, ${plural(collection.n_items, "item")}`;
  byId("panel").hidden = false;
  state.start(collection);
  const context = { state, api, collection, messages };
  const query = mountQuery(byId("query"), context);
  const settings = mountSettings(byId("settings"), context);
  const views = new Map(); // made when first shown

  function update(now) {
    query.update(now);
    settings.update(now);
    showView(now, context, views);
  }

  state.subscribe(update);
  state.subscribe((now, previous, isBack) => {
    const isNew = now.item !== previous.item || now.code !== previous.code;
    if (isNew && !isBack) window.scrollTo({ top: 0 }); // to the query and the nearest items; Back keeps its place
  });
  retry = () => update(state.get());
  listenToKeys({ state, collection, query, help });
  startLinks();
  update(state.get());
}

function showView(now, context, views) {
  const main = byId("view");
  const hadFocus = main.contains(document.activeElement);
  for (const name of Object.keys(MOUNTS)) byId(name).hidden = name !== now.view;
  if (hadFocus && !document.activeElement.checkVisibility()) main.focus({ preventScroll: true });
  for (const link of byId("views").children) {
    const view = link.dataset.view;
    link.href = linkTo({ view });
    if (view === now.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!views.has(now.view)) views.set(now.view, MOUNTS[now.view](byId(now.view), context));
  views.get(now.view).update(now);
}

function startLinks() {
  byId("views").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || !isPlainClick(event)) return;
    event.preventDefault();
    state.set({ view: link.dataset.view });
  });
}
