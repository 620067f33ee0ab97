/** What pages compute: searches, times, and where the dashboard opens. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Account, Session } from "../../../clients/dashboard/src/api/client.ts";
import {
  answerOf,
  detailOf,
  isFailing,
} from "../../../clients/dashboard/src/components/delivery-words.ts";
import { fileName } from "../../../clients/dashboard/src/data/generation.ts";
import {
  daysIn,
  isPath,
  pageOfId,
  requestQuery,
  spanOf,
} from "../../../clients/dashboard/src/data/url.ts";
import { months, timeAgo } from "../../../clients/dashboard/src/data/value-format.ts";
import { rememberScope, startingScope } from "../../../clients/dashboard/src/session/last-scope.ts";
import { signInPath } from "../../../clients/dashboard/src/session/sign-in-path.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const NOW = Date.parse(NOON);

it.each([
  ["vgen_2zjrwfavgwd8tj2ht7shw0cw42", "generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42"],
  [" igen_2zjrwfavgwd8tj2ht7shw0cw42 ", "generations/igen_2zjrwfavgwd8tj2ht7shw0cw42"],
  ["file_2zjrwfavgwd8tj2ht7shw0cw42", "files/file_2zjrwfavgwd8tj2ht7shw0cw42"],
  ["req_2zjrwfavgwd8tj2ht7shw0cw42", "requests?id=req_2zjrwfavgwd8tj2ht7shw0cw42"],
  ["evt_2zjrwfavgwd8tj2ht7shw0cw42", "settings/webhooks/evt_2zjrwfavgwd8tj2ht7shw0cw42"],
  ["usr_2zjrwfavgwd8tj2ht7shw0cw42", undefined],
  ["vgen_2", undefined],
  ["a red boat", undefined],
])("the search opens for %j the page %s", (text, page) => {
  expect(pageOfId(text)).toBe(page);
});

it.each([
  [{ path: "/v1/videos/generations/{id}", key: "key_1" }, { key_id: "key_1" }],
  [{ path: "/v1/videos/generations/{id}", id: "req_12345678" }, { request_id: "req_12345678" }],
  [
    { path: "/v1/videos/generations/{id}", id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42" },
    { generation_id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42" },
  ],
])("the request log is asked by path, and for %j", (filter, asked) => {
  expect(requestQuery(filter)).toEqual({ path: filter.path, ...asked });
  expect([isPath(filter.path), isPath("v1/models"), isPath("/a b")]).toEqual([true, false, false]);
});

it("a file has the id of its generation, and a number where there are several", () => {
  const urls = ["https://a.example.com/x.png", "https://a.example.com/y.png"];
  const output = urls.map((url) => ({ url })) as Parameters<typeof fileName>[0]["output"];
  expect(fileName({ id: "igen_1", output }, 1)).toBe("igen_1-2.png");
  expect(fileName({ id: "igen_1", output: output.slice(0, 1) }, 0)).toBe("igen_1.png");
});

it("months go back to the account's first one, and two years at most", () => {
  const values = months("2026-10-31T23:00:00Z", NOW).map(({ value }) => value);
  expect(values).toEqual(["2026-11", "2026-10"]);
  expect(months("2020-01-01T00:00:00Z", NOW)).toHaveLength(24);
});

it.each([
  [0.4, 0, "second"],
  [59.4, -59, "second"],
  [59.6, -1, "minute"],
  [3_599, -1, "hour"],
  [86_399, -1, "day"],
] as const)("a time %s seconds ago is %i %s in the reader's words", (seconds, amount, unit) => {
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
  const time = new Date(NOW - seconds * 1_000).toISOString();
  expect(timeAgo(time, NOW)).toBe(words.format(amount, unit));
});

it("a time of more than a month ago is a date", () => {
  const medium = { dateStyle: "medium" } as const;
  const time = "2026-10-12T12:00:00Z";
  expect(timeAgo(time, NOW)).toBe(new Date(time).toLocaleDateString(undefined, medium));
});

const LATER = "2026-11-21T12:04:00Z";
const NEXT = `next try ${timeAgo(LATER, NOW)}`;

it.each([
  ["pending", { status_code: 503 }, LATER, NEXT, "answered 503"],
  ["pending", { error: "timeout" }, NOON, "next try now", "no answer in time"],
  ["pending", undefined, undefined, "first try now", undefined],
  ["delivered", { status_code: 200 }, undefined, undefined, "answered 200"],
  ["exhausted", { error: "dns_error" }, undefined, "every try failed", "host not found"],
  ["disabled", { error: "other" }, undefined, "nothing more is sent to this URL", "no answer"],
] as const)("a delivery that is %s after %j says so", (status, answer, next, detail, last) => {
  const attempts = answer ? [{ at: NOON, duration_ms: 9, ...answer }] : [];
  const delivery = { status, attempts, ...(next && { next_attempt_at: next }) };
  expect([detailOf(delivery, NOW), answer && answerOf(answer)]).toEqual([detail, last]);
  expect(isFailing(delivery)).toBe(next !== undefined);
});

describe("the days of a list", () => {
  it("are both part of the span, in the time zone of the user", () => {
    const days = daysIn(new URLSearchParams("from=2026-11-24&to=2026-11-25"));
    expect(spanOf(days)).toEqual({
      created_after: new Date(2026, 10, 23, 23, 59, 59, 999).toISOString(),
      created_before: new Date(2026, 10, 26).toISOString(),
    });
  });

  it("are none where the URL has no such day", () => {
    expect(spanOf(daysIn(new URLSearchParams("from=yesterday&to=")))).toEqual({});
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

  it("has the playground's form also after a reload, until it is emptied", async () => {
    const values = { modelId: "beta-3.0-video", values: { prompt: "A boat" } };
    (await import("../../../clients/dashboard/src/session/kept.ts")).keep("form", values);
    vi.resetModules();
    const reloaded = await import("../../../clients/dashboard/src/session/kept.ts");
    expect(reloaded.readKept("form")).toEqual(values);
    reloaded.keep("form", undefined);
    vi.resetModules();
    const emptied = await import("../../../clients/dashboard/src/session/kept.ts");
    expect(emptied.readKept("form")).toBeUndefined();
  });

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

it.each([
  ["as the server says", { ended_because: "user_disabled" }, true, "user_disabled"],
  ["as nobody says, for who was signed in", {}, true, "ended"],
  ["not for a visitor", {}, false, null],
] as const)("a session has ended %s", (_what, session, wasSignedIn, reason) => {
  const path = signInPath(session as Session, "/a/test/overview", wasSignedIn);
  expect(Object.fromEntries(new URLSearchParams(path.split("?")[1]))).toEqual({
    to: "/a/test/overview",
    ...(reason && { reason }),
  });
});
