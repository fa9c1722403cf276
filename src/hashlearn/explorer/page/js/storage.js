// What this browser remembers; where storage is switched off or full, nothing, and that is no error.

const PREFIX = "hashlearn-";

/** What was kept under a name, or `null`; in `sessionStorage` it is kept per tab. */
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
    // The page works without, until it is closed.
  }
}
