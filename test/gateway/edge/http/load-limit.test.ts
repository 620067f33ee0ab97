/** More requests than a process can answer soon: those beyond its limit are refused soon, the others go on. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { MAX_OF_ONE } from "#runtime/load-limit.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { image, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const harness = useHarness();
const ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";

/** The calls of `method` are not answered until `answer` is called. */
function silent(method: "getGeneration" | "cancelGeneration") {
  const answered = Promise.withResolvers<void>();
  const original = harness.backends[method] as (request: never) => unknown;
  harness.backends[method] = (async (request: never) => {
    await answered.promise;
    return original(request);
  }) as never;
  return { answer: answered.resolve };
}

/** Of a video that no other request asks for: reads of the same share one call. */
const videoPath = () => `/v1/videos/generations/${randomId("vgen")}`;

const get = (path: string, secret = harness.key.secret, more: Record<string, string> = {}) =>
  harness.send(path, { headers: headersOf(secret, more) });
const create = (path: string, model: string) =>
  harness.send(path, post(harness.key.secret, { model, prompt: "a cat" }));
const callsOf = (name: string) => harness.calls.filter(({ method }) => method === name).length;
const statusesOf = async (sent: Promise<Response>[]) =>
  new Set((await Promise.all(sent)).map(({ status }) => status));

describe("an account that has as many requests in progress as it may", () => {
  it("gets 503 with Retry-After for the next one soon, without asking anybody, while others are served", async () => {
    const generation = silent("getGeneration");
    const inProgress = Array.from({ length: MAX_OF_ONE }, () => get(videoPath()));
    await expect.poll(() => callsOf("getGeneration")).toBe(MAX_OF_ONE);
    const refused = await get(videoPath());
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ type: "api_error", code: "unavailable" });
    expect(callsOf("getGeneration")).toBe(MAX_OF_ONE);
    const other = (await harness.newKey()).secret;
    expect((await get("/v1/models", other)).status).toBe(200);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    generation.answer();
    expect(await statusesOf(inProgress)).toEqual(new Set([200]));
    expect((await get(videoPath())).status).toBe(200);
  });

  it("gains nothing by sending all on one connection", async () => {
    const generation = silent("getGeneration");
    const head = () =>
      `GET ${videoPath()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.key.secret}\r\n\r\n`;
    const client = connect(Number(new URL(harness.localUrl).port), "127.0.0.1");
    client.write(Array.from({ length: 500 }, head).join(""));
    await expect.poll(() => callsOf("getGeneration")).toBe(MAX_OF_ONE);
    const other = get(videoPath(), (await harness.newKey()).secret);
    await expect.poll(() => callsOf("getGeneration")).toBe(MAX_OF_ONE + 1);
    generation.answer();
    expect((await other).status).toBe(200);
    client.destroy();
  });
});

describe("requests that only wait hold up no other of their account", () => {
  it("for a cancel", async () => {
    const { answer } = silent("cancelGeneration");
    const all = Array.from({ length: MAX_OF_ONE }, () => create(`${videoPath()}/cancel`, ""));
    await expect.poll(() => callsOf("cancelGeneration")).toBe(MAX_OF_ONE);
    all.push(create(`${videoPath()}/cancel`, ""));
    await expect.poll(() => callsOf("cancelGeneration")).toBe(MAX_OF_ONE + 1);
    answer();
    expect(await statusesOf(all)).toEqual(new Set([200]));
  });

  it("for the end of an image", async () => {
    let status: Status = Status.PROCESSING;
    const made = (id: string) => ({ generation: image({ id, status }) });
    harness.backends.createImage = ({ generationId }) => ({
      ...made(generationId),
      replayed: false,
    });
    harness.backends.getGeneration = ({ generationId }) => made(generationId);
    harness.backends.findEnded = ({ generations }) => ({
      generationIds:
        status === Status.SUCCESS ? generations.map(({ generationId }) => generationId) : [],
    });
    const one = () => create("/v1/images/generations", "alpha-2.0-image");
    const all = Array.from({ length: MAX_OF_ONE }, one);
    await expect.poll(() => callsOf("createImage")).toBe(MAX_OF_ONE);
    all.push(one());
    await expect.poll(() => callsOf("createImage")).toBe(MAX_OF_ONE + 1);
    status = Status.SUCCESS;
    expect(await statusesOf(all)).toEqual(new Set([200]));
  });

  it("for the end of a video, as they prefer", async () => {
    const gone = new AbortController();
    harness.backends.getGeneration = ({ generationId }) => ({
      generation: video({ id: generationId, status: Status.PENDING }),
    });
    const all = Array.from({ length: MAX_OF_ONE }, () => {
      const headers = headersOf(harness.key.secret, { prefer: "wait=30" });
      const init = { headers, signal: gone.signal };
      return fetch(`${harness.localUrl}/v1/videos/generations/${ID}`, init).catch(() => undefined);
    });
    // Meanwhile the gateway also asks once a second which of them have ended.
    await expect.poll(() => callsOf("getGeneration")).toBe(MAX_OF_ONE);
    expect((await get(`/v1/videos/generations/${ID}`)).status).toBe(200);
    gone.abort();
    await Promise.all(all);
  });

  it("for the rest of their bodies, which an operation without one does not wait for", async () => {
    const head = (request: string, length: number) =>
      `${request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.key.secret}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const open = async (text: string) => {
      const client = connect(Number(new URL(harness.localUrl).port), "127.0.0.1");
      await once(client, "connect");
      client.write(text);
      return client;
    };
    const slow: Socket[] = [];
    for (let count = 0; count <= MAX_OF_ONE; count++) {
      slow.push(await open(head("POST /v1/videos/generations", 100)));
    }
    expect((await create("/v1/videos/generations", "beta-3.0-video")).status).toBe(202);
    const deleted = await open(head(`DELETE ${videoPath()}`, 5));
    expect(String((await once(deleted, "data"))[0])).toMatch(/^HTTP\/1.1 204 /);
    for (const client of [...slow, deleted]) client.destroy();
  });
});
