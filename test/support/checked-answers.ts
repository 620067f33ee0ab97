/** Holds every answer of the API that any test fetches against the document, and fails the test where it breaks it. */
import { afterAll, afterEach } from "vitest";

const plainFetch = globalThis.fetch;
/** The origins that have answered as the service does; a stub that a test plays does not. */
const known = new Set<string>();
/** A test's own code may swallow what is thrown: what was found is told again at the test's end. */
const found: string[] = [];

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  const { url } = response;
  if (!isService(url, response)) return response;
  // Reading the document takes its time, and most files of tests never ask the API.
  const { breaches, isOfApi } = await import("./answer-checks.ts");
  if (!isOfApi(url)) return response;
  const method = init?.method ?? request?.method ?? "GET";
  const broken = breaches(method, url, response, await response.clone().text());
  if (broken.length === 0) return response;
  const { pathname } = new URL(url);
  const message = `${method} ${pathname} answered ${response.status}: ${broken.join("; ")}`;
  found.push(message);
  throw new Error(message);
};

function isService(url: string, response: Response): boolean {
  const { origin } = new URL(url);
  if (response.headers.has("request-id")) known.add(origin);
  return known.has(origin);
}

function tell(): void {
  const messages = found.splice(0);
  if (messages.length > 0) throw new Error(`answers break the document:\n${messages.join("\n")}`);
}

afterEach(tell);
afterAll(tell);
