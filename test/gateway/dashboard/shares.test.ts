/** One user who asks for much at a time: the others are served. */
import { expect, it } from "vitest";
import { MAX_OF_ONE } from "#runtime/load-limit.ts";
import { useHarness } from "../harness.ts";
import { PASSWORD, accountOf, newBrowser, useSignedUpBrowser, type Schemas } from "./browser.ts";

const harness = useHarness();
const user = useSignedUpBrowser(harness);

it("leaves a quarter of what the dashboard has in progress to other users, and refuses the rest in its own format", async () => {
  const email = "other@example.com";
  const account = accountOf(await newBrowser(harness).signUp(email));
  const answered = Promise.withResolvers<void>();
  const { searchGenerations } = harness.backends;
  harness.backends.searchGenerations = (async (request: never) => {
    await answered.promise;
    return searchGenerations(request);
  }) as never;
  const path = (id: string) => `/accounts/${id}/generations?mode=test&search=cat`;
  const search = () => user.browser.send("GET", path(user.account));
  const searches = [];
  const reaches = (count: number) => expect.poll(() => harness.calls.length).toBe(count);
  while (searches.length < MAX_OF_ONE) {
    searches.push(...Array.from({ length: 15 }, search));
    await reaches(searches.length);
  }
  const { status, headers, body } = await search();
  expect([status, body.error.code]).toEqual([503, "unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);

  const other = newBrowser(harness);
  const signIn = await other.send<Schemas["Session"]>("POST", "/auth/sign-in", {
    email,
    password: PASSWORD,
  });
  expect([signIn.status, signIn.body.user?.email]).toEqual([200, email]);
  const found = other.send("GET", path(account));
  await reaches(MAX_OF_ONE + 1);
  answered.resolve();
  expect((await found).status).toBe(200);
  expect(new Set((await Promise.all(searches)).map((one) => one.status))).toEqual(new Set([200]));
});
