/** The Idempotency-Keys of the playground: pressing Generate again never charges twice. */
import type * as Kept from "../../../clients/dashboard/src/session/kept.ts";
import { refusalOf } from "../../../clients/dashboard/src/api/refusal.ts";
import {
  requestKeys,
  type OpenRequest,
} from "../../../clients/dashboard/src/pages/playground/request-keys.ts";

const REQUEST = '{"prompt":"a cat"}';
const refused = (status: number, type: string, code: string) =>
  refusalOf(status, { error: { type, code } });

/** Keys that are numbered, over a store that outlives the page. */
function numberedKeys() {
  let count = 0;
  let kept: OpenRequest | undefined;
  const store = { read: () => kept, write: (open?: OpenRequest) => void (kept = open) };
  const load = () => requestKeys(store, () => `key-${++count}`);
  return { ...load(), reload: load };
}

it.each<[string, Error | null, string?]>([
  ["no answer", new TypeError("network")],
  ["429", refused(429, "rate_limit_error", "rate_limited")],
  ["500", refused(500, "api_error", "internal")],
  ["502 of a proxy", refusalOf(502, undefined)],
  ["503", refused(503, "api_error", "unavailable")],
  ["504 of an image that goes on", refused(504, "generation_error", "generation_timeout")],
  ["its success", null, "key-2"],
  ["a refusal", refused(402, "billing_error", "insufficient_tokens"), "key-2"],
  ["a failed image", refused(502, "generation_error", "upstream_failed"), "key-2"],
])("after %s a request has the right key", (_what, error, key = "key-1") => {
  const keys = numberedKeys();
  expect(keys.press(REQUEST, 0)).toBe("key-1");
  keys.settle(error);
  expect(keys.press(REQUEST, 2_000)).toBe(key);
});

it("a press sends nothing while one is on its way, nor as the second of a double click", () => {
  const keys = numberedKeys();
  expect(keys.press(REQUEST, 0)).toBe("key-1");
  expect(keys.press(REQUEST, 60)).toBeUndefined();
  keys.settle(null);
  expect(keys.press(REQUEST, 150)).toBeUndefined();
  expect(keys.press('{"prompt":"a dog"}', 150)).toBe("key-2");
});

it("a request without an answer keeps its key over a reload of the page", () => {
  const keys = numberedKeys();
  expect(keys.press(REQUEST, 60_000)).toBe("key-1");
  const reloaded = keys.reload();
  expect(reloaded.press(REQUEST, 10)).toBe("key-1");
  reloaded.settle(null);
  expect(keys.reload().press(REQUEST, 10)).toBe("key-2");
});

let tabs = 0;

/** A tab of the browser: a document of its own over `storage`, which all tabs share. */
async function openTab(storage: Map<string, string>, name: string) {
  let count = 0;
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  });
  const document = new URL(
    `../../../clients/dashboard/src/session/kept.ts?${++tabs}`,
    import.meta.url,
  );
  const { keep, readKept } = (await import(document.href)) as typeof Kept;
  const read = () => readKept<OpenRequest>("open request");
  const write = (open?: OpenRequest) => keep("open request", open);
  return requestKeys({ read, write }, () => `${name}-${++count}`);
}

afterEach(() => vi.unstubAllGlobals());

it("a request without an answer keeps its key while another tab sends another request", async () => {
  const storage = new Map<string, string>();
  const [one, other] = [await openTab(storage, "one"), await openTab(storage, "other")];
  expect(one.press(REQUEST, 0)).toBe("one-1");
  expect(other.press('{"prompt":"a dog"}', 0)).toBe("other-1");
  for (const tab of [one, other]) tab.settle(new TypeError("network"));
  expect(one.press(REQUEST, 2_000)).toBe("one-1");
});

it("a request is sent, and keeps its key, also where the browser's storage is full", async () => {
  const storage = new Map<string, string>();
  storage.set = () => {
    throw new Error("QuotaExceededError");
  };
  const keys = await openTab(storage, "one");
  expect(keys.press(REQUEST, 0)).toBe("one-1");
  keys.settle(new TypeError("network"));
  expect(keys.press(REQUEST, 2_000)).toBe("one-1");
});
