import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { FastifyReply, FastifyRequest } from "fastify";
import { inject, afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import { connectBus } from "#runtime/events/bus.ts";
import { generationFinished } from "#runtime/events/events.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { held } from "../../../services/gateway/waiting/prefer.ts";
import { manualClock } from "../../support/manual-clock.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { errorOf, headersOf, post, startHarness, video } from "../harness.ts";
import type { Behind, Harness } from "../harness.ts";

const PATH = "/v1/videos/generations";
const LEAST = { model: "beta-3.0-video", prompt: "a cat" };

/** Connections are tried again, and nobody looks again at a generation: only its event wakes. */
const eventsOnly: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms < 1_000 ? ms : 1_000_000, signal),
};

let harness: Harness;
let clock: ManualClock;
let bus: Bus;
let secret: string;
let behind: Behind;

beforeAll(async () => {
  clock = manualClock();
  const deps = { clock: systemClock, log: createLog("test", "silent") };
  bus = connectBus({ url: inject("natsUrl") }, deps);
  harness = await startHarness({ clock: eventsOnly });
  ({ secret } = await harness.newKey());
  behind = { ...harness.behind };
});
beforeEach(() => {
  Object.assign(harness.behind, behind);
  harness.calls.length = 0;
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await bus[Symbol.asyncDispose]();
});

const waiting = (id: string, prefer = "wait=30") =>
  harness.send(`${PATH}/${id}`, { headers: headersOf(secret, { prefer }) });

const idOf = (request: object) => (request as { generationId: string }).generationId;

/** The generation is what `status` says, from now on. */
function becomes(status: Status): void {
  harness.behind.getGeneration = ({ generationId }) => ({
    generation: video({ id: generationId, status }),
  });
}

/** Moves the clock until the answer is there. */
async function untilTime<T>(answer: Promise<T>): Promise<T> {
  const end = ended(answer);
  while (!end.isReached) {
    clock.advance(100);
    await turn();
  }
  return answer;
}

/** Rings until the answer is there: a bell may ring before anyone listens. */
async function untilRung<T>(answer: Promise<T>, id: string): Promise<T> {
  const end = ended(answer);
  const rings = () => {
    ring(id);
    return end.isReached;
  };
  await expect.poll(rings, { timeout: 20_000 }).toBe(true);
  return answer;
}

function ended(answer: Promise<unknown>): { isReached: boolean } {
  const end = { isReached: false };
  const reach = () => void (end.isReached = true);
  answer.then(reach, reach);
  return end;
}

const ring = (id: string) =>
  bus.publish(
    generationFinished,
    create(GenerationFinishedSchema, { eventId: randomId("evt"), generation: video({ id }) }),
  );

const reads = () => harness.calls.filter(({ method }) => method === "getGeneration").length;

/** A gateway without an event stream, whose time the test moves; each look sees the next, then the last one. */
async function startTimed() {
  const timed = await startHarness({ clock, config: { natsUrl: "nats://127.0.0.1:9" } });
  const key = await timed.newKey();
  let count = 0;
  return {
    looks: (...seen: (Status | "gone")[]) => {
      timed.behind.getGeneration = ({ generationId }) => {
        const status = seen[Math.min(count++, seen.length - 1)];
        if (status === undefined || status === "gone") throw new Error("gone");
        return { generation: video({ id: generationId, status }) };
      };
    },
    seen: () => count,
    waiting: (prefer: string) =>
      timed.send(`${PATH}/${randomId("vgen")}`, { headers: headersOf(key.secret, { prefer }) }),
    [Symbol.asyncDispose]: () => timed[Symbol.asyncDispose](),
  };
}

describe("Prefer: wait=N", () => {
  it("holds a retrieve until the event of the end, for any number of waiters of one id", async () => {
    const id = randomId("vgen");
    becomes(Status.PROCESSING);
    const answers = Promise.all(Array.from({ length: 20 }, () => waiting(id)));
    await expect.poll(reads).toBe(20);
    becomes(Status.SUCCESS);
    for (const response of await untilRung(answers, id)) {
      expect(response.status).toBe(200);
      expect(response.headers.get("preference-applied")).toBe("wait");
      expect(await response.json()).toMatchObject({ id, status: "success" });
    }
  });

  it("holds a create in the same way, and answers 202", async () => {
    becomes(Status.FAILED);
    const answer = harness.send(PATH, post(secret, LEAST, { prefer: "wait=60" }));
    await expect.poll(() => harness.calls.length).toBe(1);
    const generationId = harness.calls.map(({ request }) => idOf(request)).join();
    const response = await untilRung(answer, generationId);
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe("wait");
    expect(await response.json()).toMatchObject({ id: generationId, status: "failed" });
  });

  it("is not moved by the end of another generation", async () => {
    const [id, other] = [randomId("vgen"), randomId("vgen")];
    becomes(Status.PROCESSING);
    const [answer, otherAnswer] = [waiting(id), waiting(other)];
    await expect.poll(reads).toBe(2);
    becomes(Status.SUCCESS);
    await untilRung(otherAnswer, other);
    expect(reads()).toBe(3);
    await untilRung(answer, id);
  });

  it("answers as it is when N seconds have passed, having looked each second", async () => {
    await using timed = await startTimed();
    timed.looks(Status.PROCESSING);
    const answer = timed.waiting("wait=3");
    await expect.poll(() => timed.seen()).toBe(1);
    const startedMs = clock.now().getTime();
    const response = await untilTime(answer);
    expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(3_000);
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("wait");
    expect(await response.json()).toMatchObject({ status: "processing" });
    expect(timed.seen()).toBeGreaterThanOrEqual(3);
  });

  it("sees the end without the event stream", async () => {
    await using timed = await startTimed();
    timed.looks(Status.PROCESSING, Status.SUCCESS);
    const answer = timed.waiting("wait=60");
    await expect.poll(() => timed.seen()).toBe(1);
    const startedMs = clock.now().getTime();
    expect(await (await untilTime(answer)).json()).toMatchObject({ status: "success" });
    expect(timed.seen()).toBe(2);
    expect(clock.now().getTime() - startedMs).toBeLessThan(60_000);
  });

  it("answers what it last saw where the generation cannot be read again", async () => {
    await using timed = await startTimed();
    timed.looks(Status.PROCESSING, "gone");
    const response = await untilTime(timed.waiting("wait=1"));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "processing" });
  });

  it("answers at once what has ended, what is refused, and what did not ask to be held", async () => {
    becomes(Status.CANCELED);
    const ended = await waiting(randomId("vgen"));
    expect(ended.headers.get("preference-applied")).toBe("wait");
    const absent = await waiting("nope");
    expect(absent.status).toBe(404);
    expect(absent.headers.has("preference-applied")).toBe(false);
    becomes(Status.PENDING);
    const plain = await harness.send(`${PATH}/${randomId("vgen")}`, { headers: headersOf(secret) });
    expect(plain.status).toBe(200);
    expect(plain.headers.has("preference-applied")).toBe(false);
  });

  it.each(["wait=0", "wait=61", "wait=05", "wait", "wait=ten", "wait=1.5", "respond-async", ""])(
    "of a form that the document does not have is refused: %j",
    async (prefer) => {
      const answers = [
        await waiting(randomId("vgen"), prefer),
        await harness.send(PATH, post(secret, LEAST, { prefer })),
      ];
      for (const response of answers) {
        expect(response.status).toBe(400);
        expect(await errorOf(response)).toMatchObject({ code: "invalid_value", param: "Prefer" });
      }
      expect(harness.calls).toEqual([]);
    },
  );

  it("that stands twice is refused, and on other operations it is nothing", async () => {
    const headers = new Headers(headersOf(secret));
    headers.append("prefer", "wait=5");
    headers.append("prefer", "wait=6");
    expect((await harness.send(`${PATH}/${randomId("vgen")}`, { headers })).status).toBe(400);
    const balance = await harness.send("/v1/balance", { headers });
    expect(balance.status).toBe(200);
    expect(balance.headers.has("preference-applied")).toBe(false);
  });

  it("does not keep a service that stops from stopping", async () => {
    const stopping = await startHarness({ clock });
    const key = await stopping.newKey();
    const headers = headersOf(key.secret, { prefer: "wait=60" });
    const answer = stopping.send(`${PATH}/${randomId("vgen")}`, { headers });
    await expect.poll(() => stopping.calls.length).toBe(1);
    await stopping[Symbol.asyncDispose]();
    expect(await (await answer).json()).toMatchObject({ status: "pending" });
  });

  it("frees the place of a client that has hung up", async () => {
    const completions = createCompletionWaiters(clock);
    const raw = new EventEmitter();
    const request = { headers: { prefer: "wait=60" } } as unknown as FastifyRequest;
    const reply = { raw, header: () => reply } as unknown as FastifyReply;
    const generationId = randomId("vgen");
    const look = async () => video({ id: generationId, status: Status.PROCESSING });
    const deps = { clock, completions, log: createLog("test", "silent") };
    const answer = held(deps, request, reply, { generationId, first: look, again: look });
    await turn();
    expect(completions.size).toBe(1);
    raw.emit("close");
    await answer;
    expect(completions.size).toBe(0);
  });
});
