// Pointer, wheel, pinch and keys on the code map's canvas.

import { isDirection } from "./map_discs.js";

const CLICK = 5; // pixels a pointer may move and still be a click
const STEP = 60; // pixels of one pan by key
export const ZOOM_STEP = 1.5;

/** Listen on `canvas`; `act` has `zoom(factor, left, top)`, `pan(right, down)`, `reset()`, `hover(left, top)`,
 * `leave()`, `click(left, top, isTouch)`, `step(key)`, `enter()` and `zoomed()`. */
export function listenToMap(canvas, act) {
  listenToPointers(canvas, act);
  canvas.addEventListener(
    "wheel",
    (event) => {
      // The whole map is visible: the wheel scrolls the page.
      if (event.deltaY > 0 && !act.zoomed()) return;
      event.preventDefault();
      act.zoom(Math.exp(-Math.max(-120, Math.min(event.deltaY, 120)) / 300), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  canvas.addEventListener("blur", () => act.leave());
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !pressed(event, act)) return;
    event.preventDefault();
    event.stopPropagation(); // "+" and "-" mean the radius elsewhere on the page
  });
}

function pressed({ key, shiftKey }, act) {
  if (isDirection(key)) {
    if (shiftKey) act.pan(...PANS[key]);
    else act.step(key);
  } else if (key === "+" || key === "=") act.zoom(ZOOM_STEP);
  else if (key === "-") act.zoom(1 / ZOOM_STEP);
  else if (key === "0") act.reset();
  else if (key === "Enter" || key === " ") act.enter();
  else if (key === "Escape") act.leave();
  else return false;
  return true;
}

// The map moves against the arrow, so that more is seen in its direction.
const PANS = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

function listenToPointers(canvas, act) {
  const down = new Map(); // pressed pointers, with their current places
  let travelled = 0;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (!down.size) travelled = 0;
    down.set(event.pointerId, { left: event.offsetX, top: event.offsetY });
  });

  canvas.addEventListener("pointermove", ({ pointerId, offsetX: left, offsetY: top }) => {
    const before = down.get(pointerId);
    if (!before) {
      act.hover(left, top);
      return;
    }
    const other = [...down].find(([id]) => id !== pointerId)?.[1];
    down.set(pointerId, { left, top });
    travelled += Math.hypot(left - before.left, top - before.top);
    if (travelled <= CLICK) return;
    if (other) act.zoom(away(other, { left, top }) / Math.max(1, away(other, before)), other.left, other.top);
    else act.pan(left - before.left, top - before.top);
  });

  const release = (event) => {
    const wasDown = down.delete(event.pointerId);
    if (wasDown && event.type === "pointerup" && travelled <= CLICK && !down.size) {
      act.click(event.offsetX, event.offsetY, event.pointerType === "touch");
    }
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && act.leave());
}

const away = (a, b) => Math.hypot(a.left - b.left, a.top - b.top);
