/** listRequests: what is recorded of requests, and for whom. */
import type { components } from "#gen/openapi/media.ts";
import type { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { refusing } from "../../backends.ts";
import { MOVED_TIME, startHarness, useHarness, type Key } from "../../harness.ts";
import { errorOf, headersOf, post, VIDEOS } from "../../requests.ts";
import { modern } from "../mcp/clients.ts";

type ApiRequest = components["schemas"]["ApiRequest"];
type List = { data: ApiRequest[]; has_more: boolean };

const VIDEO_ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";

const { clock } = MOVED_TIME;
const harness = useHarness(MOVED_TIME);

/** Sends a request with an id of its own, and returns the id. */
async function send(path: string, init: RequestInit = {}, key: Key = harness.key) {
  const id = randomId("req");
  const headers = { ...headersOf(key.secret), ...(init.headers as object), "request-id": id };
  await (await harness.send(path, { ...init, headers })).text();
  return id;
}

const create = (body: unknown, path = VIDEOS) => send(path, post(harness.key.secret, body));

/** Waits until the request with this id is written. */
const written = (id: string) =>
  expect
    .poll(async () => {
      clock.advance(1_000);
      return harness.owner`select 1 from gateway.request_log where request_id = ${id}`;
    })
    .toHaveLength(1);

async function list(query: Record<string, string>, key: Key = harness.key): Promise<List> {
  const response = await key.get(`/v1/requests?${new URLSearchParams(query).toString()}`);
  expect(response.status).toBe(200);
  return (await response.json()) as List;
}

const idsOf = async (query: Record<string, string>, key?: Key) =>
  (await list(query, key)).data.map(({ request_id: id }) => id);

/** What is recorded of the request with this id. */
async function entryOf(id: string, key?: Key): Promise<ApiRequest | undefined> {
  await written(id);
  return (await list({ request_id: id }, key)).data[0];
}

const keyIdOf = async ({ accountId }: Key) =>
  (await harness.accounts.listKeys({ accountId })).keys[0]?.id ?? "";

describe("what is recorded", () => {
  it("of a request is its route, status, key, generation, duration and time", async () => {
    const before = clock.now().toISOString();
    const id = await send(`${VIDEOS}/${VIDEO_ID}`);
    expect(await entryOf(id)).toEqual({
      id: expect.stringMatching(/^log_/),
      object: "request",
      request_id: id,
      mode: "test",
      key_id: await keyIdOf(harness.key),
      method: "GET",
      path: `${VIDEOS}/{id}`,
      status: 200,
      generation_id: VIDEO_ID,
      duration_ms: expect.any(Number),
      created_at: expect.toSatisfy((at) => at >= before && at <= clock.now().toISOString()),
    });
    expect((await list({ generation_id: VIDEO_ID })).data).toHaveLength(1);
  });

  it("of creates is the generation, and the code of an error; nothing of their bodies", async () => {
    const made = await create({ model: "alpha-2.0", prompt: "a secret boat" });
    const refused = await create("{", `${VIDEOS}?a=secret`);
    const accepted = await entryOf(made);
    expect(accepted).toMatchObject({ method: "POST", path: VIDEOS, status: 202 });
    expect(accepted?.generation_id).toMatch(/^vgen_/);
    const error = { error_code: "unknown_field", error_param: "a" };
    expect(await entryOf(refused)).toMatchObject({ path: VIDEOS, status: 400, ...error });
    expect(accepted).not.toHaveProperty("error_param");
    const kept = await harness.owner`
      select r::text from gateway.request_log r where account_id = ${harness.key.accountId}`;
    expect(kept.length).toBeGreaterThan(1);
    expect(JSON.stringify(kept)).not.toMatch(/secret|boat/);
  });

  it("names no generation that there never was, and one that a refused create may have made", async () => {
    const refused = async (reason: keyof typeof ErrorReason) => {
      harness.backends.createVideo = refusing(reason, "Says why.");
      return (await entryOf(await create({ model: "m", prompt: "a boat" })))?.generation_id;
    };
    for (const reason of ["UNSUPPORTED_DURATION", "MODEL_NOT_FOUND"] as const)
      expect(await refused(reason)).toBeUndefined();
    for (const reason of ["CONTENT_DIFFERS", "UNAVAILABLE"] as const)
      expect(await refused(reason)).toMatch(/^vgen_/);
    harness.backends.getGeneration = refusing("NOT_FOUND", "Says why.");
    const read = await entryOf(await send(`${VIDEOS}/${VIDEO_ID}`));
    expect(read).not.toHaveProperty("generation_id");
  });

  it("is where the fault was and what was said of it, as far as that is no name of the client's own", async () => {
    const { secret } = harness.key;
    const right = { model: "alpha-2.0", prompt: "a boat" };
    const named = { "the prompt": "a boat", [`x${secret}`]: { prompt: "a" } };
    const image_urls = ["https://a.example/a.png", 1];
    const faults: [body: unknown, param?: string | undefined, said?: RegExp, path?: string][] = [
      [{ model: "alpha-2.0" }, "prompt"],
      [{ ...right, promt: "a" }, "promt"],
      [{ ...right, metadata: { "jane@example.com": 1 } }, "metadata", /^$/],
      [{ ...right, "my name": 1 }],
      [{ ...right, [secret]: 1 }],
      [[]],
      [{ ...right, duration: 0 }, "duration", /^duration must be from 1 to /],
      [{ model: "alpha-2.0", ...named }, "prompt", /^(?!.*(the prompt|mgs_))/],
      ['{"prompt": a "secret" word}', undefined, /^The body is not JSON: .* token 'a', (?!.*word)/],
      [{ ...right, image_urls }, "image_urls[1]", /./, "/v1/images/generations"],
    ];
    for (const [body, param, message = /(?:)/, path] of faults) {
      const entry = await entryOf(await create(body, path));
      expect([entry?.status, entry?.error_param]).toEqual([400, param]);
      expect(entry?.error_message ?? "").toMatch(message);
    }
  });

  it("is the beginning of a path that the service does not have, without its query or an API key", async () => {
    const secret = `mgs_live_${"a1".repeat(19)}`;
    for (const [sent, path] of [
      [`/v1/${"x".repeat(300)}?token=abc`, `/v1/${"x".repeat(196)}`],
      ["/v1/nothing?token=abc", "/v1/nothing"],
      [`/v1/videos/${secret}`, "/v1/videos/mgs_live_…"],
      [`/v1/${secret.slice(0, 20)}?key=${secret}`, "/v1/mgs_live_…"],
    ] as const) {
      const unknown = { status: 404, error_code: "route_not_found", path };
      expect(await entryOf(await send(sent))).toMatchObject(unknown);
    }
  });

  it("is also what came by the OpenAI dialect, and by MCP with what the tool asked under one id", async () => {
    const dialect = await entryOf(await send("/openai/v1/models/nothing"));
    const path = "/openai/v1/models/{id}";
    expect(dialect).toMatchObject({ path, status: 404, error_code: "model_not_found" });
    const stream = await entryOf(await send("/mcp"));
    expect(stream).toMatchObject({ status: 405, error_code: "method_not_allowed" });
    const key = await harness.newKey();
    await using client = await modern(harness.url, key.secret);
    await client.call("list_models");
    const together = async () => {
      clock.advance(1_000);
      const { data } = await list({}, key);
      const asked = data.find(({ path: one }) => one === "/v1/models")?.request_id;
      return data.flatMap((one) => (one.request_id === asked ? one.path : []));
    };
    await expect.poll(together).toEqual(expect.arrayContaining(["/mcp", "/v1/models"]));
  });

  it("is nothing of a request whose key is unknown, revoked or absent", async () => {
    const key = await harness.newKey();
    await harness.accounts.revokeKey({ accountId: key.accountId, keyId: await keyIdOf(key) });
    clock.advance(2_000);
    const unknown = { ...key, secret: "mgs_test_wrong" };
    const strangers = [
      await send("/v1/models", {}, unknown),
      await send("/v1/models", { headers: { authorization: "" } }),
      await send("/v1/models", {}, key),
      await send("/mcp", {}, unknown),
    ];
    await written(await send("/v1/models"));
    const found = await harness.owner`
      select path from gateway.request_log where request_id = any(${strangers})`;
    expect([...found]).toEqual([]);
  });

  it("is counted in a metric where Postgres does not take it, and requests are answered all the same", async () => {
    const dropped = () => harness.metric("media_request_log_dropped_total", { cause: "postgres" });
    await written(await send("/v1/models"));
    const before = (await dropped()) ?? 0;
    await harness.owner`revoke insert on gateway.request_log from media_gateway`;
    const id = await send("/v1/models");
    const counted = () => {
      clock.advance(1_000);
      return dropped();
    };
    await expect.poll(counted).toBe(before + 1);
    await harness.owner`grant insert on gateway.request_log to media_gateway`;
    expect((await list({ request_id: id })).data).toEqual([]);
  });
});

describe("GET /v1/requests", () => {
  it("shows nothing to another account or another mode", async () => {
    const [stranger, live] = [await harness.newKey(), await harness.newKey("live")];
    const id = await send("/v1/balance", {}, live);
    const found = await entryOf(id, live);
    expect(found?.mode).toBe("live");
    await harness.owner`update gateway.api_keys set account_id = ${live.accountId} where account_id = ${stranger.accountId}`;
    clock.advance(2_000);
    expect((await list({ request_id: id }, stranger)).data).toEqual([]);
    const another = await harness.newKey("live");
    for (const query of [{ request_id: id }, { key_id: found?.key_id ?? "" }]) {
      expect((await list(query, another)).data).toEqual([]);
    }
    const own = await send("/v1/models", {}, another);
    await written(own);
    const seen = await idsOf({}, another);
    expect([seen.includes(own), seen.includes(id)]).toEqual([true, false]);
  });

  it("is filtered by status, class of status, key, time, method and the path as it is recorded", async () => {
    const key = await harness.newKey();
    const read = await send(`${VIDEOS}/${VIDEO_ID}`, {}, key);
    await written(read);
    const between = clock.now().toISOString();
    clock.advance(1_000);
    const nothing = `/v1/nothing/${VIDEO_ID}`;
    const late = await send(`${nothing}?a=b`, {}, key);
    await written(late);
    const at = String((await list({ request_id: late }, key)).data[0]?.created_at);
    // The requests of this list are recorded, too.
    const created = await send(VIDEOS, post(key.secret, "{"), key);
    await written(created);
    const lists = new Set<string | undefined>([read, late, created]);
    const other = await keyIdOf(harness.key);
    for (const [query, expected] of [
      [{ status: "404" }, [late]],
      [{ status: "4xx" }, [created, late]],
      [{ created_after: between }, [created, late]],
      [{ created_before: between }, [read]],
      [{ created_after: at }, [created]],
      [{ created_before: at }, [read]],
      [{ key_id: other }, []],
      [{ method: "POST" }, [created]],
      [{ path: VIDEOS }, [created]],
      [{ path: `${VIDEOS}/{id}`, method: "GET" }, [read]],
      [{ path: `${VIDEOS}/${VIDEO_ID}` }, [read]],
      [{ path: nothing }, [late]],
    ] as [Record<string, string>, string[]][]) {
      const found = (await idsOf(query, key)).filter((id) => lists.has(id));
      expect([query, found]).toEqual([query, expected]);
    }
    for (const query of ["method=get", "path=videos", "path=/%00", `path=/${"a".repeat(200)}`]) {
      const [param] = query.split("=");
      const error = await errorOf(harness.get(`/v1/requests?${query}`));
      expect(error).toMatchObject({ status: 400, param });
    }
  });

  const before = () => new Date(clock.now().getTime() + 1).toISOString();

  it("is read page by page, also through requests of one millisecond", async () => {
    const key = await harness.newKey();
    const sent: string[] = [];
    for (let index = 0; index < 5; index++) sent.push(await send("/v1/models", {}, key));
    for (const id of sent) await written(id);
    await harness.owner`
      update gateway.request_log set at = ${clock.now()} where account_id = ${key.accountId}`;
    const query = { status: "200", limit: "2", created_before: before() };
    const seen: string[] = [];
    for (let page = await list(query, key); ;) {
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
      const response = await of.get(`/v1/requests?after=${id}&created_before=${before()}`);
      if (response.status === 200) return ((await response.json()) as List).data.length;
      const { status, code, param } = await errorOf(response);
      return [status, code, param];
    };
    const refused = [400, "invalid_value", "after"];
    expect([await after(newest), await after(oldest)]).toEqual([1, 0]);
    expect(await after(newest, harness.key)).toEqual(refused);
    expect(await after(randomId("log"))).toEqual(refused);
    expect(await after("log_7zzzzzzzzzzzzzzzzzzzzzzzzz")).toEqual(refused);
    await harness.owner`delete from gateway.request_log where request_id = ${early}`;
    expect(await after(oldest)).toEqual(refused);
  });
});

it("a gateway that keeps no days records nothing, though the table of a day is there", async () => {
  await using keepsNone = await startHarness({ config: { requestLogDays: 0 } });
  const { owner, gateway } = keepsNone;
  const key = await keepsNone.newKey();
  await owner`select gateway.keep_request_days(current_date, current_date, current_date + 1)`;
  expect((await key.get("/v1/nothing")).status).toBe(404);
  // Whatever waits is written.
  await gateway[Symbol.asyncDispose]();
  expect(await owner`select path from gateway.request_log`).toEqual([]);
});
