/** Requests with an API key, and the error in a response. */
import { setImmediate as turn } from "node:timers/promises";
import type { ManualClock } from "../support/manual-clock.ts";

/** The paths at which videos and images are created, and the least of their bodies. */
export const VIDEOS = "/v1/videos/generations";
export const IMAGES = "/v1/images/generations";
export const VIDEO = { model: "beta-3.0-video", prompt: "a cat" };
export const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a cat" };

/** The headers of a JSON request with a key. */
export function headersOf(secret: string, more: Record<string, string> = {}) {
  return { authorization: `Bearer ${secret}`, "content-type": "application/json", ...more };
}

/** POST with a JSON body. */
export function post(
  secret: string,
  body: unknown,
  more: Record<string, string> = {},
): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", headers: headersOf(secret, more), body: text };
}

/** What sends requests with a key. */
export function sendingWith(
  secret: string,
  send: (path: string, init: RequestInit) => Promise<Response>,
) {
  const { authorization } = headersOf(secret);
  const get = (path: string, more?: Record<string, string>) =>
    send(path, { headers: headersOf(secret, more) });
  return {
    get,
    /** What GET of the path answers. */
    json: async <T = unknown>(path: string) => (await get(path)).json() as Promise<T>,
    post: (path: string, body: unknown, more?: Record<string, string>) =>
      send(path, post(secret, body, more)),
    /** Without a body and its type. */
    sendBare: (method: string, path: string) => send(path, { method, headers: { authorization } }),
    /** POST with a body of any type, also as a stream. */
    sendBytes: (path: string, body: RequestInit["body"], more: Record<string, string> = {}) => {
      const init = { method: "POST", headers: { authorization, ...more }, body, duplex: "half" };
      return send(path, init as RequestInit);
    },
  };
}

export type ErrorAnswer = {
  error: {
    type: string;
    code: string;
    message: string;
    param?: string;
    doc_url?: string;
    request_id: string;
    details?: Record<string, unknown>;
    errors?: { code: string; message: string; param: string }[];
  };
};

/** The error of a response, and its status. */
export async function errorOf(sent: Response | Promise<Response>) {
  const response = await sent;
  const { error } = (await response.json()) as ErrorAnswer;
  return { status: response.status, ...error };
}

/** Lets the clock's time pass until the answer is there. */
export async function passTime<T>(clock: ManualClock, answer: Promise<T>): Promise<T> {
  let isThere = false;
  void Promise.allSettled([answer]).then(() => (isThere = true));
  for (let turns = 1; !isThere; turns += 1) {
    // What is under way has some turns to come before more time passes.
    if (turns % 10 === 0) clock.advance(500);
    await turn();
  }
  return answer;
}
