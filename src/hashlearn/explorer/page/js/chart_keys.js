// Keys of a chart.

/** The point that a key selects from the cursor; `undefined` for other keys. */
export function step(series, cursor, { key, shiftKey, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey || !series.length) return undefined;
  if (key === "Escape") return cursor === null ? undefined : null;
  const at = cursor ?? { series: 0, point: -1 };
  const { points } = series[at.series];
  const stride = shiftKey ? 10 : 1;
  switch (key) {
    case "ArrowRight":
      return { ...at, point: seek(points, Math.min(at.point + stride, points.length - 1), 1) };
    case "ArrowLeft":
      return { ...at, point: seek(points, Math.max(at.point - stride, 0), -1) };
    case "Home":
      return { ...at, point: seek(points, 0, 1) };
    case "End":
      return { ...at, point: seek(points, points.length - 1, -1) };
    case "ArrowUp":
      return beside(series, at, -1);
    case "ArrowDown":
      return beside(series, at, 1);
    default:
      return undefined;
  }
}

function seek(points, start, direction) {
  for (let i = start; i >= 0 && i < points.length; i += direction) if (points[i].y !== null) return i;
  return points.findIndex((one) => one.y !== null);
}

function beside(series, at, direction) {
  const next = (at.series + direction + series.length) % series.length;
  const point = Math.min(Math.max(at.point, 0), series[next].points.length - 1);
  return { series: next, point: seek(series[next].points, point, 1) };
}
