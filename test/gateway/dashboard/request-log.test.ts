/** The request log in the dashboard: for members of the account, with the names of the keys. */
import { beforeAll, describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { useHarness } from "../harness.ts";
import { accountOf, newBrowser, type Browser, type Schemas } from "./browser.ts";

const clock = manualClock("2026-11-25T12:00:00.000Z");
const harness = useHarness({ clock });

let browser: Browser;
let account: string;
let requestId: string;

const log = async (query: string, of = browser, in_ = account) =>
  of.send<Schemas["RequestLog"]>("GET", `/accounts/${in_}/request-log?mode=test&${query}`);

beforeAll(async () => {
  browser = newBrowser(harness);
  account = accountOf(await browser.signUp());
  const path = `/accounts/${account}/keys`;
  const { body } = await browser.send<Schemas["CreatedApiKey"]>("POST", path, {
    name: "Server",
    mode: "test",
  });
  requestId = randomId("req");
  await harness.send("/v1/models/nothing", {
    headers: { authorization: `Bearer ${body.secret}`, "request-id": requestId },
  });
});

describe("the request log in the dashboard", () => {
  it("has requests of the mode with the names of their keys, filtered", async () => {
    await expect
      .poll(async () => {
        clock.advance(1_000);
        return (await log(`request_id=${requestId}`)).body.data;
      })
      .toHaveLength(1);
    const { body } = await log(`status=4xx&request_id=${requestId}`);
    expect(body).toMatchObject({
      has_more: false,
      data: [
        {
          key_name: "Server",
          request: { path: "/v1/models/{id}", status: 404, error_code: "model_not_found" },
        },
      ],
    });
    expect((await log("status=2xx")).body.data).toEqual([]);
    const live = await browser.send("GET", `/accounts/${account}/request-log?mode=live`);
    expect(live.body).toMatchObject({ data: [] });
  });
});
