// The discs of the code map: their sizes, and the disc under a pixel or in a direction.

const SHARE = 0.16; // of the map's square is covered by discs before zooming, overlaps not counted
const LARGEST = 0.055; // of the square's side: the largest radius before zooming
const SMALLEST = 1.8; // pixels: the rarest code is still a dot
const REACH = 9; // pixels from a disc's centre within which it is chosen
const CELLS = 64;
const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The codes of a map (the answer of `/api/map`), in a grid for look-ups by place. */
export class Discs {
  constructor(map) {
    this.map = map;
    this.order = [...map.count.keys()].sort((a, b) => map.count[b] - map.count[a]); // small ones on top
    this.byCode = new Map(map.code.map((code, i) => [code, i]));
    this.cells = new Map();
    map.x.forEach((_, i) => {
      const key = this.cell(cellOf(map.x[i]), cellOf(map.y[i]));
      this.cells.set(key, [...(this.cells.get(key) ?? []), i]);
    });
    this.most = map.count[this.order[0]];
    this.total = map.count.reduce((sum, count) => sum + count, 0);
  }

  cell(column, row) {
    return row * CELLS + column;
  }

  /** Pixels of radius per square root of a count: areas are proportional to counts. */
  unit(view) {
    const side = (2 * view.scale) / view.zoom;
    const byShare = side * Math.sqrt(SHARE / (Math.PI * this.total));
    // Discs grow more slowly than distances, so that zooming pulls them apart.
    return Math.min(byShare, (side * LARGEST) / Math.sqrt(this.most)) * Math.sqrt(view.zoom);
  }

  radius(i, unit) {
    return Math.max(SMALLEST, unit * Math.sqrt(this.map.count[i]));
  }

  /** The topmost disc that covers a pixel; -1 if none does. */
  topmost(left, top, view) {
    return this.under(left, top, view, 0);
  }

  /** The disc under a pixel, the topmost of several, or one within `beside` pixels; -1 if there is none. */
  under(left, top, view, beside = REACH) {
    const unit = this.unit(view);
    const reach = Math.max(beside, this.radius(this.order[0], unit)) / view.scale;
    const [x, y] = view.at(left, top);
    let best = -1;
    let least = Infinity;
    for (const i of this.near(x, y, reach)) {
      const away = Math.hypot(this.map.x[i] - x, this.map.y[i] - y) * view.scale;
      const radius = this.radius(i, unit);
      // A disc that covers the pixel goes before one beside it; the smallest of several lies on top.
      const rank = away <= radius ? radius : 1e6 + away;
      if (rank < least && (away <= radius || away <= beside)) [least, best] = [rank, i];
    }
    return best;
  }

  *near(x, y, reach) {
    const [firstColumn, lastColumn] = [cellOf(x - reach), cellOf(x + reach)];
    const [firstRow, lastRow] = [cellOf(y - reach), cellOf(y + reach)];
    for (let row = firstRow; row <= lastRow; row++) {
      for (let column = firstColumn; column <= lastColumn; column++) {
        yield* this.cells.get(this.cell(column, row)) ?? [];
      }
    }
  }

  /** The nearest disc from disc `from` in the direction of an arrow key; `from` itself if there is none. */
  towards(from, key) {
    const { x, y } = this.map;
    const [dx, dy] = DIRECTIONS[key];
    let best = from;
    let least = Infinity;
    for (const i of this.order) {
      const [right, up] = [x[i] - x[from], y[i] - y[from]];
      const [along, across] = [right * dx + up * dy, right * dy + up * dx];
      if (along <= 1e-9 || Math.abs(across) > along) continue;
      const cost = along + 2 * Math.abs(across);
      if (cost < least) [least, best] = [cost, i];
    }
    return best;
  }

  /** The disc nearest to the middle of what is seen. */
  central(view) {
    const away = (i) => Math.hypot(this.map.x[i] - view.x, this.map.y[i] - view.y);
    return this.order.reduce((best, i) => (away(i) < away(best) ? i : best));
  }
}

const cellOf = (value) => Math.min(Math.max(Math.floor(((value + 1) / 2) * CELLS), 0), CELLS - 1);

export const isDirection = (key) => Object.hasOwn(DIRECTIONS, key);
