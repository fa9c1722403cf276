// The names of labels on the code map: choosing discs for them, and painting them there.

const LONGEST_NAME = 24; // characters; the legend has the full name
const HEIGHT = 17; // pixels of a line
const TRIED = 60; // discs tried per name, the nearest to the label's centre
const LARGE = 0.1; // of a label's most frequent code: rarer ones do not stand for the label
// Places of a name on a disc, in radii: its centre, or aside if a disc of another label covers that.
const ASIDE = [
  [0, 0], [-0.7, 0], [0.7, 0], [0, -0.7], [0, 0.7],
  [-0.55, -0.55], [0.55, -0.55], [-0.55, 0.55], [0.55, 0.55],
];

/** The names of the legend's entries, the most frequent first, each with its discs from the middle outwards. */
export function placeNames(map, { entries, colourOf }) {
  const names = entries.flatMap(({ name, count, isRest }, entry) => {
    const members = [...colourOf.keys()].filter((i) => colourOf[i] === entry);
    if (isRest || !members.length) return [];
    const text = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
    const [x, y] = [map.x, map.y].map((values) => median(members, values, map.count));
    const away = (i) => Math.hypot(map.x[i] - x, map.y[i] - y);
    const most = members.reduce((largest, i) => Math.max(largest, map.count[i]), 0);
    const large = members.filter((i) => map.count[i] >= LARGE * most).sort((a, b) => away(a) - away(b));
    return [{ text, colour: entry, count, discs: large.slice(0, TRIED) }];
  });
  return names.sort((a, b) => b.count - a.count);
}

/** The median of `values` at `members`, each counted as often as `counts` says. */
function median(members, values, counts) {
  const sorted = [...members].sort((a, b) => values[a] - values[b]);
  const half = members.reduce((total, i) => total + counts[i], 0) / 2;
  let passed = 0;
  return values[sorted.find((i) => (passed += counts[i]) >= half)];
}

/** Paint the names of a scene; one without a free place shows once zooming has made room. */
export function paintNames(context, scene) {
  const { names, theme, highlight } = scene;
  Object.assign(context, { font: "600 15px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
  Object.assign(context, { lineJoin: "round", lineWidth: 4, strokeStyle: theme.paper, fillStyle: theme.ink });
  const taken = [];
  for (const name of names) {
    if (highlight !== null && highlight !== name.colour) continue;
    const box = freeBox(scene, name, context.measureText(name.text).width / 2, taken);
    if (!box) continue;
    taken.push(box);
    context.strokeText(name.text, box.left, box.top);
    context.fillText(name.text, box.left, box.top);
  }
}

function freeBox(scene, name, half, taken) {
  const isFree = (box) => !taken.some((other) => overlap(box, other)) && !onOthers(box, name.colour, scene);
  for (const i of name.discs) {
    const box = boxesOn(i, scene, half).find(isFree);
    if (box) return box;
  }
  // Beside a highlighted label all others are faint: its name may stand on them.
  return scene.highlight === null ? null : boxesOn(name.discs[0], scene, half)[0];
}

function boxesOn(i, { discs, view }, half) {
  const radius = discs.radius(i, discs.unit(view));
  const [left, top] = [view.left(discs.map.x[i]), view.top(discs.map.y[i])];
  const places = radius > HEIGHT ? ASIDE : ASIDE.slice(0, 1); // smaller than its name: only the middle
  return places.map(([right, down]) => ({ left: left + right * radius, top: top + down * radius, half }));
}

const overlap = (a, b) => Math.abs(a.top - b.top) < HEIGHT && Math.abs(a.left - b.left) < a.half + b.half + 4;

// A name over discs of other labels would seem to be theirs.
function onOthers({ left, top, half }, colour, { discs, colourOf, view }) {
  return [-half, 0, half].some((right) =>
    [-HEIGHT / 4, HEIGHT / 4].some((down) => {
      const i = discs.topmost(left + right, top + down, view);
      return i >= 0 && colourOf[i] !== colour;
    }),
  );
}
