// Requests to the server; every failure becomes one sentence.

/** A refused or lost request; `message` is a sentence for the reader, `status` is 0 without an answer. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

const LOST = "The explorer's server does not answer. Is it still running?";

async function request(path, params, options) {
  const url = new URL(`api/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined) url.searchParams.append(name, value);
  }
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(LOST, 0);
  }
  if (!response.ok) throw new ApiError(await sentence(response), response.status);
  return response.json();
}

async function sentence(response) {
  try {
    const { detail } = await response.json();
    if (typeof detail === "string") return detail;
  } catch {
    // Not an error in this server's form: use the plain sentence.
  }
  return `The server refused the request with status ${response.status}.`;
}

export const api = {
  /** `api.get("search", {method: "itq", item: 3}, signal)`: the JSON of `/api/search?method=itq&item=3`. */
  get: (path, params = {}, signal = undefined) => request(path, params, { signal }),

  /** Send a file as it is, for example an image to be encoded. */
  send: (path, file, signal = undefined) =>
    request(path, {}, {
      method: "POST",
      body: file,
      headers: { "Content-Type": file.type || "application/octet-stream" },
      signal,
    }),
};

/** Whether an error only says that a newer request replaced this one. */
export const isAbort = (error) => error.name === "AbortError";

/**
 * A function whose calls cancel the call before.
 * `run(signal, ...values)` gets the signal to hand to `api.get`; cancelled calls resolve to `undefined`.
 */
export function latest(run) {
  let current = null;
  return async (...values) => {
    current?.abort();
    const mine = (current = new AbortController());
    try {
      const answer = await run(mine.signal, ...values);
      return mine.signal.aborted ? undefined : answer;
    } catch (error) {
      if (mine.signal.aborted || isAbort(error)) return undefined;
      throw error;
    }
  };
}
