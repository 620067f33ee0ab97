/** The request log in the dashboard: for members of the account, with the names of the keys, and by a search. */
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

  it("has none of the dashboard's own requests", async () => {
    expect((await log("")).body.data.map(({ request }) => request.request_id)).toEqual([requestId]);
  });

  it("is 404 for a user who does not belong to the account", async () => {
    const stranger = newBrowser(harness);
    await stranger.signUp();
    expect((await log("", stranger)).status).toBe(404);
  });

  it("is found by a search for the id of a request that created nothing", async () => {
    harness.backends.findGenerations = () => ({ generations: [] });
    const search = async (id: string) =>
      (
        await browser.send<Schemas["GenerationList"]>(
          "GET",
          `/accounts/${account}/generations?mode=live&search=${id}`,
        )
      ).body.searched_id;
    expect(await search(requestId)).toEqual({ type: "request", found: true, mode: "test" });
    expect(await search(randomId("req"))).toEqual({ type: "request", found: false });
  });

  it("is downloaded as CSV, with the filter and more than a page of it", async () => {
    const download = async (query: string) => {
      const path = `/accounts/${account}/request-log.csv?mode=test&${query}`;
      const { headers, text } = await browser.send("GET", path);
      expect(headers.get("content-disposition")).toContain("requests-test.csv");
      const [header, ...lines] = text.trim().split("\r\n");
      expect(header).toBe(
        "created_at,request_id,method,path,status,error_code,error_param,generation_id,key_id,key_name,duration_ms",
      );
      return lines;
    };
    const [line, ...others] = await download("status=404");
    expect(others).toEqual([]);
    expect(line).toMatch(
      new RegExp(
        String.raw`^2026-11-25T.*,${requestId},GET,/v1/models/\{id\},404,model_not_found,,,key_\w+,Server,\d+$`,
      ),
    );
    expect(await download("status=2xx")).toEqual([]);
    await harness.owner`
      insert into gateway.request_log
        (at, duration_ms, status, mode, account_id, key_id, request_id, method, path)
      select at - n * interval '1 ms', duration_ms, 200, mode, account_id, key_id,
        'request-' || n, method, path
      from gateway.request_log, generate_series(1, 501) n where request_id = ${requestId}`;
    const lines = await download("status=2xx");
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toContain(",request-501,");
  });
});
