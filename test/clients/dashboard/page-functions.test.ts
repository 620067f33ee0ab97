/** What pages compute: searches, days, names of files, and where the dashboard opens. */
import type { Account } from "../../../clients/dashboard/src/api/client.ts";
import { isFailing } from "../../../clients/dashboard/src/components/delivery-words.ts";
import { fileName } from "../../../clients/dashboard/src/data/generation.ts";
import { isReplacedBy } from "../../../clients/dashboard/src/data/rotation.ts";
import { daysIn, pageOfId, spanOf } from "../../../clients/dashboard/src/data/url.ts";
import { changeText } from "../../../clients/dashboard/src/data/value-format.ts";
import { rememberScope, startingScope } from "../../../clients/dashboard/src/session/last-scope.ts";

const ID = "2zjrwfavgwd8tj2ht7shw0cw42";

it.each([
  [`vgen_${ID}`, `generations/vgen_${ID}`],
  [`file_${ID}`, `files/file_${ID}`],
  [`req_${ID}`, `requests?request_id=req_${ID}`],
  [`evt_${ID}`, `settings/webhooks/evt_${ID}`],
  [`https://a.example.com/v1/videos/generations/vgen_${ID}?x=1`, `generations/vgen_${ID}`],
  [`usr_${ID}`, undefined],
  ["a red boat", undefined],
])("the search opens for %j the page %s", (text, page) => {
  expect(pageOfId(text)).toBe(page);
});

it("a file has the id of its generation, and a number where there are several", () => {
  const urls = ["https://a.example.com/x.png", "https://a.example.com/y.png"];
  const output = urls.map((url) => ({ url })) as Parameters<typeof fileName>[0]["output"];
  expect(fileName({ id: "igen_1", output }, 1)).toBe("igen_1-2.png");
  expect(fileName({ id: "igen_1", output: output.slice(0, 1) }, 0)).toBe("igen_1.png");
});

it.each([
  ["a", "2026-11-02T00:00:00.000Z", true],
  ["a", "2026-11-01T00:59:58.000Z", true],
  ["b", "2026-11-02T00:00:00.000Z", false],
  ["a", "2026-11-03T00:00:00.000Z", false],
  ["a", undefined, false],
])("the key %s that ends at %s was replaced by a rotation: %j", (name, end, isReplaced) => {
  const old = { name, ...(end && { expires_at: end }) };
  const next = { name: "a", created_at: "2026-11-01T00:00:00.000Z" };
  expect(isReplacedBy(old, next)).toBe(isReplaced);
});

it.each([
  [500, "+500"],
  [-500, "-500"],
  [0, "0"],
])("what changes a balance by %s reads %j", (change, text) => {
  expect(changeText(change)).toBe(text);
});

it.each([
  ["was not tried", [], false],
  ["had no answer", [{ error: "timeout" }], true],
  ["was accepted, and is sent again", [{ status_code: 204 }, { status_code: 500 }], false],
])("a pending delivery that %s is failing: %j, %s", (_, attempts, expected) => {
  expect(isFailing({ status: "pending", attempts } as never)).toBe(expected);
});

it("the days of a list are both part of the span, in the time zone of the user", () => {
  const days = daysIn(new URLSearchParams("from=2026-11-24&to=2026-11-25"));
  expect(spanOf(days)).toEqual({
    created_after: new Date(2026, 10, 23, 23, 59, 59, 999).toISOString(),
    created_before: new Date(2026, 10, 26).toISOString(),
  });
});

describe("what the browser keeps", () => {
  const account = (id: string) => ({ id, production_granted: true }) as Account;
  const ACCOUNTS = [account("acct_1"), account("acct_2")];

  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it("opens the first account in test mode at a first sign-in, also with production access", () => {
    expect(startingScope(ACCOUNTS)).toEqual({ accountId: "acct_1", mode: "test" });
  });

  it("opens where it was left, while the user belongs to that account", () => {
    rememberScope({ accountId: "acct_2", mode: "live" });
    expect(startingScope(ACCOUNTS)).toEqual({ accountId: "acct_2", mode: "live" });
    expect(startingScope([account("acct_1")])).toEqual({ accountId: "acct_1", mode: "test" });
    expect(startingScope([])).toBeUndefined();
  });
});
