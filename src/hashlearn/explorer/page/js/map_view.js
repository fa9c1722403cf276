// The visible part of the code map: zoom and pan between the map's coordinates and pixels.

const MOST_ZOOM = 200;
const MARGIN = 16; // pixels from the border within which a point is too close
const EDGE = 0.07; // of the canvas stays free on each side of the whole map

/** A view on the square [-1, 1] x [-1, 1], y upwards. */
export class MapView {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.reset();
  }

  reset() {
    this.zoom = 1;
    this.x = 0; // the map's point in the middle of the canvas
    this.y = 0;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  /** Pixels per unit of the map. */
  get scale() {
    return Math.min(this.width, this.height) * (0.5 - EDGE) * this.zoom;
  }

  left(x) {
    return this.width / 2 + (x - this.x) * this.scale;
  }

  top(y) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  /** The map's point under a pixel. */
  at(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y - (top - this.height / 2) / this.scale];
  }

  /** Zoom by `factor`; the point under the pixel stays where it is. */
  zoomAt(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.at(left, top);
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    const [newX, newY] = this.at(left, top);
    this.pan((newX - x) * this.scale, (y - newY) * this.scale);
  }

  /** Move the map by pixels; its middle never leaves the square. */
  pan(right, down) {
    this.x = Math.min(Math.max(this.x - right / this.scale, -1), 1);
    this.y = Math.min(Math.max(this.y + down / this.scale, -1), 1);
    if (this.zoom === 1) this.reset();
  }

  /** Whether a pixel is on the canvas, and `margin` away from its border. */
  holds({ left, top }, margin = 0) {
    return Math.min(left, this.width - left, top, this.height - top) >= margin;
  }

  /** Centre a point of the map if it is too close to the border. */
  reveal(x, y) {
    const place = { left: this.left(x), top: this.top(y) };
    if (!this.holds(place, MARGIN)) this.pan(this.width / 2 - place.left, this.height / 2 - place.top);
  }
}
