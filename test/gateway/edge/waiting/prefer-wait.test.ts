/** Prefer: wait=N on creates and retrieves. */
import { setImmediate as turn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { connectBus, type Bus } from "#runtime/events/bus.ts";
import { natsAt } from "#runtime/events/config.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { MAX_WAITING_PER_ACCOUNT } from "../../../../services/gateway/edge/waiting/waiting-requests.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { video } from "../../backends.ts";
import { startHarness, useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const PATH = "/v1/videos/generations";
const LEAST = { model: "beta-3.0-video", prompt: "a cat" };

/** A clock that never reaches the next poll: only the event can end a wait. Short sleeps, of reconnects, work. */
const eventsOnly: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 1_000 ? ms : 1_000_000, signal),
};

const clock = manualClock();
const harness = useHarness({ clock: eventsOnly });
let bus: Bus;

beforeAll(() => {
  const deps = { clock: systemClock, log: createLog("test", "silent") };
  bus = connectBus(natsAt(inject("natsUrl")), deps);
});
afterAll(() => bus[Symbol.asyncDispose]());

const waiting = (id: string, prefer = "wait=30") =>
  harness.send(`${PATH}/${id}`, { headers: headersOf(harness.key.secret, { prefer }) });

const idOf = (request: object) => (request as { generationId: string }).generationId;

/** Makes every generation have `status` from now on. */
function setStatus(status: Status): void {
  harness.backends.getGeneration = ({ generationId }) => ({
    generation: video({ id: generationId, status }),
  });
}

/** Advances the clock until the response arrives. */
async function advanceUntil<T>(answer: Promise<T>): Promise<T> {
  const end = completionOf(answer);
  while (!end.isReached) {
    clock.advance(100);
    await turn();
  }
  return answer;
}

/** Publishes the event until the response arrives: one may be published before the gateway subscribes. */
async function publishUntil<T>(answer: Promise<T>, id: string): Promise<T> {
  const end = completionOf(answer);
  const publishes = () => {
    publishFinished(id);
    return end.isReached;
  };
  await expect.poll(publishes).toBe(true);
  return answer;
}

function completionOf(answer: Promise<unknown>): { isReached: boolean } {
  const end = { isReached: false };
  const reach = () => void (end.isReached = true);
  answer.then(reach, reach);
  return end;
}

const publishFinished = (id: string) =>
  bus.publish(
    generationFinished,
    create(GenerationFinishedSchema, { eventId: randomId("evt"), generation: video({ id }) }),
  );

const reads = () => harness.calls.filter(({ method }) => method === "getGeneration").length;

/** A gateway on a manual clock without an event stream; each read returns the next of the given states. */
async function startTimed() {
  const timed = await startHarness({ clock, config: { nats: natsAt("nats://127.0.0.1:9") } });
  const key = await timed.newKey();
  let count = 0;
  return {
    returns: (...states: (Status | "unavailable")[]) => {
      timed.backends.getGeneration = ({ generationId }) => {
        const status = states[Math.min(count++, states.length - 1)];
        if (status === undefined || status === "unavailable") throw new Error("unavailable");
        return { generation: video({ id: generationId, status }) };
      };
    },
    readCount: () => count,
    backends: timed.backends,
    accounts: timed.accounts,
    ownerUrl: timed.ownerUrl,
    key,
    waiting: (prefer: string) =>
      timed.send(`${PATH}/${randomId("vgen")}`, { headers: headersOf(key.secret, { prefer }) }),
    [Symbol.asyncDispose]: () => timed[Symbol.asyncDispose](),
  };
}

describe("Prefer: wait=N", () => {
  it("delays a retrieve until the event of the end, for any number of waiting requests", async () => {
    const id = randomId("vgen");
    setStatus(Status.PROCESSING);
    const answers = Promise.all(Array.from({ length: 20 }, () => waiting(id)));
    await expect.poll(reads).toBe(20);
    setStatus(Status.SUCCESS);
    for (const response of await publishUntil(answers, id)) {
      expect(response.status).toBe(200);
      expect(response.headers.get("preference-applied")).toBe("wait=30");
      expect(await response.json()).toMatchObject({ id, status: "success" });
    }
  });

  it("delays a create in the same way, and returns 202", async () => {
    setStatus(Status.FAILED);
    const answer = harness.send(PATH, post(harness.key.secret, LEAST, { prefer: "wait=60" }));
    await expect.poll(() => harness.calls.length).toBe(1);
    const generationId = harness.calls.map(({ request }) => idOf(request)).join();
    const response = await publishUntil(answer, generationId);
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe("wait=60");
    expect(await response.json()).toMatchObject({ id: generationId, status: "failed" });
  });

  it("returns the current state after N seconds", async () => {
    await using timed = await startTimed();
    timed.returns(Status.PROCESSING);
    const answer = timed.waiting("wait=3");
    await expect.poll(() => timed.readCount()).toBe(1);
    const startedMs = clock.now().getTime();
    const response = await advanceUntil(answer);
    expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(3_000);
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("wait=3");
    expect(await response.json()).toMatchObject({ status: "processing" });
    // Once when the wait began, and once when it ended.
    expect(timed.readCount()).toBe(2);
  });

  it("is not followed for more than a hundred requests of an account at a time", async () => {
    setStatus(Status.PROCESSING);
    const id = randomId("vgen");
    const held = Array.from({ length: MAX_WAITING_PER_ACCOUNT }, () => waiting(id, "wait=60"));
    await expect.poll(reads).toBe(MAX_WAITING_PER_ACCOUNT);
    const extra = await waiting(id);
    expect(extra.status).toBe(200);
    expect(extra.headers.has("preference-applied")).toBe(false);
    const other = await harness.newKey();
    const headers = headersOf(other.secret, { prefer: "wait=1" });
    const elsewhere = harness.send(`${PATH}/${id}`, { headers });
    await expect.poll(reads).toBe(MAX_WAITING_PER_ACCOUNT + 2);
    setStatus(Status.SUCCESS);
    for (const response of await publishUntil(Promise.all([...held, elsewhere]), id)) {
      expect(response.headers.get("preference-applied")).toMatch(/^wait=(60|1)$/);
    }
    expect((await waiting(id)).headers.get("preference-applied")).toBe("wait=30");
  });

  it("notices the end without the event stream", async () => {
    await using timed = await startTimed();
    timed.returns(Status.PROCESSING, Status.SUCCESS);
    timed.backends.findEnded = ({ generations }) => ({
      generationIds: generations.map(({ generationId }) => generationId),
    });
    const answer = timed.waiting("wait=60");
    await expect.poll(() => timed.readCount()).toBe(1);
    const startedMs = clock.now().getTime();
    expect(await (await advanceUntil(answer)).json()).toMatchObject({ status: "success" });
    expect(timed.readCount()).toBe(2);
    expect(clock.now().getTime() - startedMs).toBeLessThan(60_000);
  });

  it("is refused when its key was revoked meanwhile, and reads nothing more", async () => {
    await using timed = await startTimed();
    timed.returns(Status.PROCESSING, Status.SUCCESS);
    const answer = timed.waiting("wait=3");
    await expect.poll(() => timed.readCount()).toBe(1);
    const { accountId } = timed.key;
    const { keys } = await timed.accounts.listKeys({ accountId });
    await timed.accounts.revokeKey({ accountId, keyId: keys[0]?.id ?? "" });
    const response = await advanceUntil(answer);
    expect([response.status, (await errorOf(response)).code]).toEqual([401, "revoked_api_key"]);
    expect(timed.readCount()).toBe(1);
  });

  it("returns the last known state when the generation cannot be read again", async () => {
    await using timed = await startTimed();
    timed.returns(Status.PROCESSING, "unavailable");
    const response = await advanceUntil(timed.waiting("wait=1"));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "processing" });
  });

  it("returns the last known state, too, when the key cannot be looked at again", async () => {
    await using timed = await startTimed();
    timed.returns(Status.PROCESSING);
    const answer = timed.waiting("wait=5");
    await expect.poll(() => timed.readCount()).toBe(1);
    const owner = postgres(timed.ownerUrl, { max: 1 });
    await owner`revoke select on gateway.api_keys from media_gateway`;
    await owner.end();
    const response = await advanceUntil(answer);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "processing" });
  });

  it("does not delay an ended generation, an error, or a request without the header", async () => {
    setStatus(Status.CANCELED);
    const ended = await waiting(randomId("vgen"));
    expect(ended.headers.get("preference-applied")).toBe("wait=30");
    const absent = await waiting("nope");
    expect(absent.status).toBe(404);
    expect(absent.headers.has("preference-applied")).toBe(false);
    setStatus(Status.PENDING);
    const plain = await harness.send(`${PATH}/${randomId("vgen")}`, {
      headers: headersOf(harness.key.secret),
    });
    expect(plain.status).toBe(200);
    expect(plain.headers.has("preference-applied")).toBe(false);
  });

  it("does not delay the service's shutdown", async () => {
    const stopping = await startHarness({ clock });
    const key = await stopping.newKey();
    const headers = headersOf(key.secret, { prefer: "wait=60" });
    const answer = stopping.send(`${PATH}/${randomId("vgen")}`, { headers });
    await expect.poll(() => stopping.calls.length).toBe(1);
    await stopping[Symbol.asyncDispose]();
    expect(await (await answer).json()).toMatchObject({ status: "pending" });
  });
});
