/** The Prefer header as RFC 7240 has it. */
import { describe, expect, it } from "vitest";
import { preferencesOf } from "../../../../services/gateway/edge/waiting/prefer-wait.ts";

const preferences = (prefer: string | undefined) =>
  preferencesOf({ headers: prefer === undefined ? {} : { prefer } });

describe("the preferred wait", () => {
  it.each([
    ["wait=5", 5],
    ["wait=60", 60],
    ["wait=61", 60],
    ["wait=99999999999999999999", 60],
    ["wait", 60],
    ["respond-async, wait=", 60],
    ["wait=05", 5],
    ['wait="7"', 7],
    ["Wait = 7", 7],
    ["respond-async, wait=8;a=b, foo", 8],
    ["wait=9, wait=3", 9],
    ['x="a,wait=2", wait=4', 4],
    ['x="a\\",wait=2", wait=4', 4],
  ])("of %j is %i s", (prefer, seconds) => {
    expect(preferences(prefer).waitSeconds).toBe(seconds);
  });

  it.each([
    undefined,
    "",
    ",",
    "wait=0",
    "wait=-1",
    "wait=1.5",
    "wait=ten",
    "waits=3",
    "respond-async",
    'x="a,wait=2"',
    'x="a, wait=4',
    `x="${'\\"'.repeat(500)}", wait=4`,
  ])("is absent in %j", (prefer) => {
    expect(preferences(prefer).waitSeconds).toBeUndefined();
  });
});

describe("an answer before the end", () => {
  it.each(["respond-async", "wait=8, Respond-Async;x=y", 'x="a", respond-async, wait=ten'])(
    "is preferred in %j",
    (prefer) => expect(preferences(prefer).respondAsync).toBe(true),
  );

  it.each([
    undefined,
    "wait=8",
    "respond-asyncs",
    'x="a, respond-async"',
    `${" ".repeat(1_000)}respond-async`,
  ])("is not preferred in %j", (prefer) => expect(preferences(prefer).respondAsync).toBe(false));
});
