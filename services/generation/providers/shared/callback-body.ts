/** Parses the body of a callback. */

/** Returns undefined if the body is not JSON. */
export function callbackJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
