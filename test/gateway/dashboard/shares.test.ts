/** One user who asks for much at a time: the others are served. */
import { expect, it } from "vitest";
import { MAX_OF_ONE } from "#runtime/load-limit.ts";
import { useHarness } from "../harness.ts";
import { newBrowser, newMember, useMember, type Member } from "./browser.ts";

const harness = useHarness();
const user = useMember(harness);

it("leaves a quarter of what the dashboard has in progress to other users, and refuses the rest in its own format", async () => {
  const email = "other@example.com";
  const other = await newMember(harness, email);
  const answered = Promise.withResolvers<void>();
  const { searchGenerations } = harness.backends;
  harness.backends.searchGenerations = (async (request: never) => {
    await answered.promise;
    return searchGenerations(request);
  }) as never;
  const search = (by: Member) => by.send("GET", "/generations?mode=test&search=cat");
  const searches = [];
  const reaches = (count: number) => expect.poll(() => harness.calls.length).toBe(count);
  while (searches.length < MAX_OF_ONE) {
    searches.push(...Array.from({ length: 15 }, () => search(user)));
    await reaches(searches.length);
  }
  const { status, headers, body } = await search(user);
  expect([status, body.error.code]).toEqual([503, "unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);

  const signedIn = await newBrowser(harness).signIn(email);
  expect([signedIn.status, signedIn.body.user?.email]).toEqual([200, email]);
  const found = search(other);
  await reaches(MAX_OF_ONE + 1);
  answered.resolve();
  expect((await found).status).toBe(200);
  expect(new Set((await Promise.all(searches)).map((one) => one.status))).toEqual(new Set([200]));
});
