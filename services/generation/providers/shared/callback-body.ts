/** Reads the JSON that an upstream sent to a callback address. */

/** Undefined where it is none. */
export function callbackJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
