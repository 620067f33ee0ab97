/** listRequests: what is recorded of requests, and for whom. */
import { describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import type { components } from "#gen/openapi/media.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { useHarness, type Key } from "../../harness.ts";
import { refusing } from "../../backends.ts";
import type { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { modern } from "../mcp/clients.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

type ApiRequest = components["schemas"]["ApiRequest"];
type List = { data: ApiRequest[]; has_more: boolean };

const clock = manualClock("2026-11-25T12:00:00.000Z");
const harness = useHarness({ clock });

/** Sends a request with an id of its own, and returns the id. */
async function send(path: string, init: RequestInit = {}, key: Key = harness.key) {
  const id = randomId("req");
  const headers = { ...headersOf(key.secret), ...(init.headers as object), "request-id": id };
  await (await fetch(`${harness.url}${path}`, { ...init, headers })).text();
  return id;
}

/** Waits until the request with this id is written. */
const written = (id: string) =>
  expect
    .poll(async () => {
      clock.advance(1_000);
      return (await harness.owner`select 1 from gateway.request_log where request_id = ${id}`)
        .length;
    })
    .toBe(1);

async function list(query: Record<string, string>, key: Key = harness.key): Promise<List> {
  const path = `/v1/requests?${new URLSearchParams(query).toString()}`;
  const response = await harness.send(path, { headers: headersOf(key.secret) });
  expect(response.status).toBe(200);
  return (await response.json()) as List;
}

/** What is recorded of the request with this id. */
async function entryOf(id: string, key?: Key): Promise<ApiRequest | undefined> {
  await written(id);
  return (await list({ request_id: id }, key)).data[0];
}

const keyIdOf = async ({ accountId }: Key) =>
  (await harness.owner`select id from gateway.api_keys where account_id = ${accountId}`)[0]?.[
    "id"
  ] as string;

describe("GET /v1/requests", () => {
  it("has a request with its route, status, key, generation, duration and time", async () => {
    const generationId = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
    const before = clock.now().toISOString();
    const id = await send(`/v1/videos/generations/${generationId}`, {
      headers: { prefer: "respond-async" },
    });
    const entry = await entryOf(id);
    expect(entry).toEqual({
      id: expect.stringMatching(/^log_/),
      object: "request",
      request_id: id,
      mode: "test",
      key_id: await keyIdOf(harness.key),
      method: "GET",
      path: "/v1/videos/generations/{id}",
      status: 200,
      generation_id: generationId,
      duration_ms: expect.any(Number),
      created_at: expect.stringMatching(/^2026-11-25T12:/),
    });
    expect(String(entry?.created_at) >= before).toBe(true);
    expect((await list({ generation_id: generationId })).data).toHaveLength(1);
  });

  it("has the generation that a create made, and the code of an error", async () => {
    const body = { model: "alpha-2.0", prompt: "a secret boat" };
    const made = await send("/v1/videos/generations", post(harness.key.secret, body));
    const refused = await send("/v1/videos/generations?a=secret", post(harness.key.secret, "{"));
    const create = await entryOf(made);
    expect(create).toMatchObject({ method: "POST", path: "/v1/videos/generations", status: 202 });
    expect(create?.generation_id).toMatch(/^vgen_/);
    const error = await entryOf(refused);
    expect(error).toMatchObject({ path: "/v1/videos/generations", status: 400 });
    expect(error).toMatchObject({ error_code: "unknown_field", error_param: "a" });
    expect(create).not.toHaveProperty("error_param");
    const kept = await harness.owner`select * from gateway.request_log`;
    expect(
      JSON.stringify(kept, (_key, value: unknown) => (typeof value === "bigint" ? 0 : value)),
    ).not.toMatch(/secret|boat/);
  });

  it("names no generation that there never was, and one that a refused create may have made", async () => {
    const create = async (reason: keyof typeof ErrorReason) => {
      harness.backends.createVideo = refusing(reason, "Says why.");
      const body = { model: "alpha-2.0", prompt: "a boat" };
      const sent = post(harness.key.secret, body);
      return (await entryOf(await send("/v1/videos/generations", sent)))?.generation_id;
    };
    expect(await create("UNSUPPORTED_DURATION")).toBeUndefined();
    expect(await create("MODEL_NOT_FOUND")).toBeUndefined();
    expect(await create("CONTENT_DIFFERS")).toMatch(/^vgen_/);
    expect(await create("UNAVAILABLE")).toMatch(/^vgen_/);
    harness.backends.getGeneration = refusing("NOT_FOUND", "Says why.");
    const path = "/v1/videos/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw43";
    expect(await entryOf(await send(path))).not.toHaveProperty("generation_id");
  });

  it("has where the fault was and what was said of it, as far as that is no name of the client's own", async () => {
    const faultOf = async (body: object, path = "/v1/videos/generations") => {
      const entry = await entryOf(await send(path, post(harness.key.secret, body)));
      expect(entry?.status).toBe(400);
      return entry;
    };
    const paramOf = async (...asked: Parameters<typeof faultOf>) =>
      (await faultOf(...asked))?.error_param;
    const messageOf = async (body: object) => (await faultOf(body))?.error_message;
    const video = { model: "alpha-2.0", prompt: "a boat" };
    expect(await paramOf({ model: "alpha-2.0" })).toBe("prompt");
    expect(await paramOf({ ...video, promt: "a" })).toBe("promt");
    expect(await paramOf({ ...video, metadata: { "jane@example.com": 1 } })).toBe("metadata");
    expect(await paramOf({ ...video, "my name": 1 })).toBeUndefined();
    expect(await paramOf({ ...video, [harness.key.secret]: 1 })).toBeUndefined();
    expect(await paramOf([])).toBeUndefined();
    expect(await messageOf({ ...video, duration: 0 })).toMatch(/^duration must be from 1 to /);
    expect(await messageOf({ ...video, metadata: { "jane@example.com": 1 } })).toBeUndefined();
    const { prompt: _prompt, ...others } = video;
    const named = { "the prompt": "a boat", [`x${harness.key.secret}`]: { prompt: "a" } };
    expect(await messageOf({ ...others, ...named })).not.toMatch(/the prompt|mgs_/);
    const id = await send("/v1/videos/generations", {
      ...post(harness.key.secret, {}),
      body: '{"prompt": a "secret" word}',
    });
    await written(id);
    expect((await list({ request_id: id })).data[0]?.error_message).toMatch(
      /^The body is not JSON: .* token 'a', (?!.*(secret|word))/,
    );
    const image = { model: "gpt-image-2", prompt: "a", image_urls: ["https://a.example/a.png", 1] };
    expect(await paramOf(image, "/v1/images/generations")).toBe("image_urls[1]");
  });

  it("has the beginning of a path that the service does not have, without its query", async () => {
    const id = await send(`/v1/${"x".repeat(300)}?token=abc`);
    const short = await send("/v1/nothing?token=abc");
    const long = await entryOf(id);
    expect(long).toMatchObject({ status: 404, error_code: "route_not_found" });
    expect(long?.path).toBe(`/v1/${"x".repeat(196)}`);
    expect((await entryOf(short))?.path).toBe("/v1/nothing");
  });

  it("has requests of the OpenAI dialect, and of MCP with what the tool asked", async () => {
    const dialect = await send("/openai/v1/models/nothing");
    const path = "/openai/v1/models/{id}";
    const expected = { path, status: 404, error_code: "model_not_found" };
    expect(await entryOf(dialect)).toMatchObject(expected);
    const key = await harness.newKey();
    await using client = await modern(harness.url, key.secret);
    await client.call("list_models");
    await expect
      .poll(async () => {
        clock.advance(1_000);
        return (await list({}, key)).data.map(({ path }) => path);
      })
      .toEqual(expect.arrayContaining(["/mcp", "/v1/models"]));
  });

  it("has nothing of a request whose key is unknown, revoked or absent", async () => {
    const key = await harness.newKey();
    const keyId = await keyIdOf(key);
    await harness.accounts.revokeKey({ accountId: key.accountId, keyId });
    clock.advance(2_000);
    const strangers = [
      await send("/v1/models", {}, { ...key, secret: "mgs_test_wrong" }),
      await send("/v1/models", { headers: { authorization: "" } }),
      await send("/v1/models", {}, key),
      await send("/mcp", {}, { ...key, secret: "mgs_test_wrong" }),
    ];
    await written(await send("/v1/models"));
    const found = await harness.owner`
      select path from gateway.request_log where request_id = any(${strangers})`;
    expect([...found]).toEqual([]);
  });

  it("shows nothing to another account or another mode", async () => {
    const [stranger, live] = [await harness.newKey(), await harness.newKey("live")];
    const id = await send("/v1/balance", {}, live);
    const found = await entryOf(id, live);
    expect(found?.mode).toBe("live");
    await harness.owner`update gateway.api_keys set account_id = ${live.accountId} where account_id = ${stranger.accountId}`;
    clock.advance(2_000);
    const ofMode = await list({ request_id: id }, stranger);
    expect(ofMode.data).toEqual([]);
    const another = await harness.newKey("live");
    for (const query of [{ request_id: id }, { key_id: found?.key_id ?? "" }]) {
      expect((await list(query, another)).data).toEqual([]);
    }
    const own = await send("/v1/models", {}, another);
    await written(own);
    const seen = (await list({}, another)).data.map(({ request_id: one }) => one);
    expect(seen).toContain(own);
    expect(seen).not.toContain(id);
  });

  it("is filtered by status, class of status, key and time", async () => {
    const key = await harness.newKey();
    const early = await send("/v1/models", {}, key);
    await written(early);
    const betweenAt = clock.now().toISOString();
    clock.advance(1_000);
    const late = await send("/v1/nothing", {}, key);
    await written(late);
    const ids = async (query: Record<string, string>) =>
      (await list({ ...query, created_after: "2026-11-25T00:00:00Z", ...query }, key)).data
        .filter(({ path }) => path !== "/v1/requests")
        .map(({ request_id: id }) => id);
    expect(await ids({})).toEqual([late, early]);
    expect(await ids({ status: "404" })).toEqual([late]);
    expect(await ids({ status: "4xx" })).toEqual([late]);
    expect(await ids({ status: "200" })).toEqual([early]);
    expect(await ids({ status: "5xx" })).toEqual([]);
    expect(await ids({ created_after: betweenAt })).toEqual([late]);
    expect(await ids({ created_before: betweenAt })).toEqual([early]);
    const at = String((await list({ request_id: late }, key)).data[0]?.created_at);
    expect(await ids({ created_after: at })).toEqual([]);
    expect(await ids({ created_before: at })).toEqual([early]);
    expect(await ids({ key_id: await keyIdOf(key) })).toEqual([late, early]);
    expect(await ids({ key_id: await keyIdOf(harness.key) })).toEqual([]);
  });

  it("is filtered by method and by the path as it is recorded", async () => {
    const key = await harness.newKey();
    const video = "/v1/videos/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42";
    const read = await send(video, {}, key);
    const unknown = await send("/v1/nothing?a=b", {}, key);
    const create = await send("/v1/videos/generations", post(key.secret, "{"), key);
    for (const id of [read, unknown, create]) await written(id);
    const ids = async (query: Record<string, string>) =>
      (await list(query, key)).data.map(({ request_id: id }) => id);
    expect(await ids({ method: "POST" })).toEqual([create]);
    expect(await ids({ path: "/v1/videos/generations" })).toEqual([create]);
    expect(await ids({ path: "/v1/videos/generations/{id}", method: "GET" })).toEqual([read]);
    expect(await ids({ path: "/v1/videos/generations/{id}", method: "POST" })).toEqual([]);
    expect(await ids({ path: "/v1/nothing" })).toEqual([unknown]);
    expect(await ids({ path: video })).toEqual([]);
    for (const query of ["method=get", "path=videos", "path=/%00", `path=/${"a".repeat(200)}`]) {
      const refused = await harness.send(`/v1/requests?${query}`, {
        headers: headersOf(key.secret),
      });
      expect([refused.status, (await errorOf(refused)).param]).toEqual([400, query.split("=")[0]]);
    }
  });

  it("is read page by page, also through requests of one millisecond", async () => {
    const key = await harness.newKey();
    const sent: string[] = [];
    for (let index = 0; index < 5; index++) sent.push(await send("/v1/models", {}, key));
    for (const id of sent) await written(id);
    await harness.owner`
      update gateway.request_log set at = ${clock.now()} where account_id = ${key.accountId}`;
    const query = { status: "200", limit: "2", created_before: addedMs(1) };
    const seen: string[] = [];
    let page = await list(query, key);
    for (;;) {
      seen.push(...page.data.map(({ request_id: id }) => id));
      if (!page.has_more) break;
      page = await list({ ...query, after: page.data.at(-1)?.id ?? "" }, key);
    }
    expect(seen.toSorted()).toEqual(sent.toSorted());
  });

  it("refuses an `after` that is no request of the account and mode, like every list", async () => {
    const key = await harness.newKey();
    const [early, late] = [await send("/v1/models", {}, key), await send("/v1/nothing", {}, key)];
    const [newest, oldest] = [(await entryOf(late, key))?.id, (await entryOf(early, key))?.id];
    const after = async (id = "", of = key) => {
      const path = `/v1/requests?after=${id}&created_before=${addedMs(1)}`;
      const response = await harness.send(path, { headers: headersOf(of.secret) });
      if (response.status === 200) return ((await response.json()) as List).data.length;
      const { code, param } = await errorOf(response);
      return [response.status, code, param];
    };
    const refused = [400, "invalid_value", "after"];
    expect([await after(newest), await after(oldest)]).toEqual([1, 0]);
    expect(await after(newest, harness.key)).toEqual(refused);
    expect(await after(randomId("log"))).toEqual(refused);
    expect(await after("log_7zzzzzzzzzzzzzzzzzzzzzzzzz")).toEqual(refused);
    await harness.owner`delete from gateway.request_log where request_id = ${early}`;
    expect(await after(oldest)).toEqual(refused);
  });

  it("counts in a metric what Postgres does not take, and answers all the same", async () => {
    const METRIC = "media_request_log_dropped_total";
    await written(await send("/v1/models"));
    const before = (await harness.metric(METRIC, { cause: "postgres" })) ?? 0;
    await harness.owner`revoke insert on gateway.request_log from media_gateway`;
    const id = await send("/v1/models");
    await expect
      .poll(async () => {
        clock.advance(1_000);
        return harness.metric(METRIC, { cause: "postgres" });
      })
      .toBe(before + 1);
    await harness.owner`grant insert on gateway.request_log to media_gateway`;
    expect((await list({ request_id: id })).data).toEqual([]);
  });
});

const addedMs = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
