// Values kept in the browser; nothing is kept, without an error, if storage is disabled or full.

const PREFIX = "hashlearn-";

/** The text kept under a name, or `null`; `sessionStorage` is per tab. */
export function recall(name, storage = "localStorage") {
  try {
    return window[storage].getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keep a text under a name; `null` forgets it. */
export function keep(name, text, storage = "localStorage") {
  try {
    if (text === null) window[storage].removeItem(PREFIX + name);
    else window[storage].setItem(PREFIX + name, text);
  } catch {
    // The page works without it.
  }
}
