// Scales of a chart: from a number to a place in pixels, with round ticks.

const STEPS = [1, 2, 5, 10];

function niceStep(span, most) {
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * STEPS.find((step) => step * power >= rough * (1 - 1e-9));
}

/** At most about `most` round numbers within [low, high]. */
function linearTicks([low, high], most) {
  const step = niceStep(high - low, most);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** 1, 3, 10, 30, ... within [low, high], or powers of ten alone where there is no room. */
function logTicks([low, high], most) {
  const ticks = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) ticks.push(power, 3 * power);
  const inside = ticks.filter((tick) => tick >= low && tick <= high);
  return inside.length <= most ? inside : inside.filter((tick) => Number.isInteger(Math.log10(tick)));
}

/** A scale from `domain` to pixels in `range`; `log` for a logarithmic one. */
export function makeScale({ domain, log = false }, range) {
  const bend = log ? Math.log10 : Number;
  const [from, to] = domain.map(bend);
  const span = to - from || 1;
  const place = (value) => range[0] + ((bend(value) - from) / span) * (range[1] - range[0]);
  return { place, ticks: (most) => (log ? logTicks : linearTicks)(domain, most) };
}
