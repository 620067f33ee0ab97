/** Checks every API response that is fetched against the document. Loaded once a worker, whatever files it runs. */

const uncheckedFetch = globalThis.fetch;
/** Origins that have sent a Request-Id, as the service does and the tests' other servers do not. */
const serviceOrigins = new Set<string>();
/** Kept until the test's end, because the code under test may catch the error thrown at once. */
const violations: string[] = [];

globalThis.fetch = async (input, init) => {
  const response = await uncheckedFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  const { url } = response;
  if (!isService(url, response)) return response;
  // Imported on first use: parsing the document is slow, and most test files never call the API.
  const { contractViolations, isApiUrl } = await import("./answer-checks.ts");
  if (!isApiUrl(url)) return response;
  const method = init?.method ?? request?.method ?? "GET";
  const check = async () => {
    const text = await response.clone().text();
    const found = contractViolations(method, url, response, text);
    if (found.length === 0) return;
    const { pathname } = new URL(url);
    const message = `${method} ${pathname} answered ${response.status}: ${found.join("; ")}`;
    violations.push(message);
    throw new Error(message);
  };
  // A stream is checked when it has ended; of one that the test leaves nothing is known.
  if (response.headers.get("content-type") === "text/event-stream") void check().catch(() => {});
  else await check();
  return response;
};

function isService(url: string, response: Response): boolean {
  const { origin } = new URL(url);
  if (response.headers.has("request-id")) serviceOrigins.add(origin);
  return serviceOrigins.has(origin);
}

/** Throws the violations since the last call. */
export function throwViolations(): void {
  const messages = violations.splice(0);
  if (messages.length > 0)
    throw new Error(`responses violate the document:\n${messages.join("\n")}`);
}
