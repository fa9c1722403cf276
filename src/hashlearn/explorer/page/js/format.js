// Numbers and small words as a reader expects them.

const WHOLE = new Intl.NumberFormat("en");

/** 1797 as "1,797". */
export const count = (n) => WHOLE.format(n);

/** A share between 0 and 1 as "0.933"; unknown as a dash. */
export const share = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

/** `plural(1, "item")` is "1 item", `plural(2, "item")` is "2 items". */
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

/** "label 7", "labels cat, dog", or "no label". */
export const labelWords = (labels) =>
  labels?.length ? `${labels.length > 1 ? "labels" : "label"} ${labels.join(", ")}` : "no label";

/** The labels of an item as text: "7", "cat, dog", or "no label". */
export const labelText = (labels) => (labels?.length ? labels.join(", ") : "no label");
