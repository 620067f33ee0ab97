/** More requests than a process can answer soon: those beyond its limit are refused soon, the others go on. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { MAX_IN_PROGRESS } from "#runtime/load-limit.ts";
import { Status, type GetGenerationRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { image, video } from "../../backends.ts";
import { useHarness, type Key } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const harness = useHarness();
const ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";

/** Generation does not answer reads until `answer` is called. */
function silentGeneration() {
  const answered = Promise.withResolvers<void>();
  const { getGeneration } = harness.backends;
  harness.backends.getGeneration = (async (request: GetGenerationRequest) => {
    await answered.promise;
    return getGeneration(request);
  }) as never;
  return { answer: answered.resolve };
}

/** Of a video that no other request asks for: reads of the same share one call. */
const videoPath = () => `/v1/videos/generations/${randomId("vgen")}`;

const get = (path: string, more: Record<string, string> = {}) =>
  harness.send(path, { headers: headersOf(harness.key.secret, more) });

describe("a gateway that has as many requests in progress as it may", () => {
  it("answers the next soon with 503 and Retry-After, without asking anybody, and goes on with the others", async () => {
    const generation = silentGeneration();
    const inProgress = Array.from({ length: MAX_IN_PROGRESS }, () => get(videoPath()));
    await expect.poll(() => harness.calls.length).toBe(MAX_IN_PROGRESS);

    const refused = await harness.send(videoPath(), { headers: headersOf("unknown-key") });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ type: "api_error", code: "unavailable" });
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/v1/models")).status).toBe(200);

    generation.answer();
    const statuses = (await Promise.all(inProgress)).map(({ status }) => status);
    expect(statuses).toEqual(inProgress.map(() => 200));
    expect((await get(videoPath())).status).toBe(200);
  });

  it("takes the place of a request whose client has gone for another one", async () => {
    const generation = silentGeneration();
    const gone = new AbortController();
    const init = { headers: headersOf(harness.key.secret), signal: gone.signal };
    const inProgress = Array.from({ length: MAX_IN_PROGRESS }, () =>
      fetch(`${harness.localUrl}${videoPath()}`, init).catch(() => undefined),
    );
    await expect.poll(() => harness.calls.length).toBe(MAX_IN_PROGRESS);
    gone.abort();
    await Promise.all(inProgress);
    await expect.poll(async () => (await get("/v1/models")).status).toBe(200);
    generation.answer();
  });
});

describe("requests that only wait", () => {
  const create = (path: string, model: string, more: Record<string, string> = {}) =>
    harness.send(path, post(harness.key.secret, { model, prompt: "a cat" }, more));

  it("for a cancel hold up no other", async () => {
    const answered = Promise.withResolvers<void>();
    const original = harness.backends.cancelGeneration as (request: never) => unknown;
    harness.backends.cancelGeneration = (async (request: never) => {
      await answered.promise;
      return original(request);
    }) as never;
    const path = `/v1/videos/generations/${ID}/cancel`;
    const all = Array.from({ length: MAX_IN_PROGRESS }, () => create(path, ""));
    await expect.poll(() => harness.calls.length).toBe(MAX_IN_PROGRESS);
    // Not with the others: it would be refused if they did not come to wait as soon.
    all.push(create(path, ""));
    await expect.poll(() => harness.calls.length).toBe(MAX_IN_PROGRESS + 1);
    answered.resolve();
    const statuses = new Set((await Promise.all(all)).map(({ status }) => status));
    expect(statuses).toEqual(new Set([200]));
  });

  it("for the end of an image hold up no other", async () => {
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
    const creates = () => harness.calls.filter(({ method }) => method === "createImage").length;
    const one = () => create("/v1/images/generations", "alpha-2.0-image");
    const all = Array.from({ length: MAX_IN_PROGRESS }, one);
    await expect.poll(creates).toBe(MAX_IN_PROGRESS);
    all.push(one());
    await expect.poll(creates).toBe(MAX_IN_PROGRESS + 1);
    status = Status.SUCCESS;
    const statuses = new Set((await Promise.all(all)).map((answer) => answer.status));
    expect(statuses).toEqual(new Set([200]));
  });

  it("for the end of a video, as they prefer, hold up no other", async () => {
    const gone = new AbortController();
    const url = `${harness.localUrl}/v1/videos/generations/${ID}`;
    harness.backends.getGeneration = ({ generationId }) => ({
      generation: video({ id: generationId, status: Status.PENDING }),
    });
    // An account has a limit of its own for these.
    const keys = [await harness.newKey(), await harness.newKey(), await harness.newKey()];
    const all = Array.from({ length: MAX_IN_PROGRESS }, (_, index) => {
      const { secret } = keys[index % keys.length] as Key;
      const headers = headersOf(secret, { prefer: "wait=30" });
      return fetch(url, { headers, signal: gone.signal }).catch(() => undefined);
    });
    // Meanwhile the gateway also asks once a second which of them have ended.
    const reads = () => harness.calls.filter(({ method }) => method === "getGeneration");
    await expect.poll(() => reads().length).toBe(MAX_IN_PROGRESS);
    expect((await get(`/v1/videos/generations/${ID}`)).status).toBe(200);
    gone.abort();
    await Promise.all(all);
  });

  it("for the rest of their bodies hold up no other", async () => {
    const headers = { ...headersOf(harness.key.secret), "content-length": "100" };
    const slow = Array.from({ length: MAX_IN_PROGRESS }, () => {
      const options = { method: "POST", headers, agent: false };
      const sent = httpRequest(`${harness.localUrl}/v1/videos/generations`, options);
      sent.on("error", () => {});
      sent.write("{");
      return sent;
    });
    await Promise.all(
      slow.map((sent) => once(sent, "socket").then(([socket]) => once(socket, "connect"))),
    );
    expect((await create("/v1/videos/generations", "beta-3.0-video")).status).toBe(202);
    for (const sent of slow) sent.destroy();
  });
});
