// An image file as the query: dropped anywhere on the page, or chosen.

import { latest } from "./api.js";
import { el } from "./dom.js";
import { keep, recall } from "./storage.js";

const seen = new Map(); // images as the methods see them, by codes; also kept per tab, for a reload

/** The drop zone at the end of `root`; `choose()` opens the file dialog. */
export function mountUpload(root, { state, api, collection, messages }) {
  const problem = el("p", { class: "problem", role: "alert" });
  const input = el("input", { type: "file", accept: "image/*", class: "unseen", id: "file" });
  const words = el("span", {}, "Drop an image here or ", el("u", {}, "choose a file"));
  const zone = el("label", { class: "drop", for: "file" }, words);
  const hint = el("p", { class: "muted small" }, collection.upload?.hint);
  const encode = latest((signal, file) => api.send("encode/image", file, signal));
  if (collection.upload) root.append(el("div", { class: "upload" }, input, zone, problem, hint));
  else root.append(problem);

  async function send(file) {
    problem.textContent = "";
    const refusal = reasonAgainst(file, collection);
    if (refusal) return void (problem.textContent = refusal);
    zone.classList.add("busy");
    try {
      const answer = await encode(file);
      if (answer === undefined) return;
      messages.found();
      remember(answer);
      state.set({ item: null, code: answer.codes, label: null });
    } catch (error) {
      messages.failed(error);
      problem.textContent = error.message;
    } finally {
      zone.classList.remove("busy");
    }
  }

  input.addEventListener("change", () => {
    if (input.files.length) send(input.files[0]);
    input.value = ""; // so that the same file can be chosen again
  });
  acceptDrops(zone, send);
  state.subscribe((now, before) => {
    if (now.item !== before.item || now.code !== before.code) problem.textContent = ""; // it was about an earlier query
  });
  return { choose: () => collection.upload && input.click() };
}

function reasonAgainst(file, { upload, limits }) {
  if (!upload) return "Images cannot be queries of this collection: no loaded model reads images.";
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size <= limits.upload_bytes) return null;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  return `${file.name} has ${megabytes(file.size)}; it must have at most ${megabytes(limits.upload_bytes)}.`;
}

// The whole page accepts drops: a file that misses the zone would otherwise replace the page.
function acceptDrops(zone, send) {
  const marks = (on) => (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    zone.classList.toggle("over", on);
  };
  document.addEventListener("dragover", marks(true));
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) zone.classList.remove("over"); // the file left the window
  });
  document.addEventListener("drop", (event) => {
    marks(false)(event);
    const [file] = event.dataTransfer.files;
    if (file) send(file);
  });
}

const nameOf = (codes) => `seen:${JSON.stringify(codes)}`;

function remember({ codes, seen: image }) {
  seen.set(nameOf(codes), image);
  keep(nameOf(codes), image, "sessionStorage");
}

/** The image with these codes as the methods see it, or `null` if it is not kept. */
export const seenImage = (codes) => seen.get(nameOf(codes)) ?? recall(nameOf(codes), "sessionStorage");
