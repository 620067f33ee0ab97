/** Reads of the same thing share one read, and a generation that has ended is kept. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { sharedReads } from "../../../../services/gateway/edge/http/shared-reads.ts";
import { video } from "../../backends.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { useHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const VIDEOS = "/v1/videos/generations";

const clock = manualClock();
const reply = {
  type: () => reply,
  getSerializationFunction: () => JSON.stringify,
} as unknown as FastifyReply;
/** Reads whose results the test gives. */
const heldReads = () => {
  const held: PromiseWithResolvers<object>[] = [];
  const read = () => {
    held.push(Promise.withResolvers());
    return held.at(-1)?.promise ?? Promise.reject(new Error("unreachable"));
  };
  return { held, read };
};

describe("reads of the same at the same time", () => {
  const url = "/v1/balance";
  const requestOf = (accountId = "acct", path = url) =>
    ({ method: "GET", url: path, caller: { accountId, mode: "live" } }) as FastifyRequest;

  it("share the next read, never one that began before they arrived", async () => {
    const { answer } = sharedReads(clock);
    const { held, read } = heldReads();
    const first = answer(requestOf(), reply, read);
    await expect.poll(() => held.length).toBe(1);
    const later = [1, 2, 3].map(() => answer(requestOf(), reply, read));
    held[0]?.resolve({ available: 2 });
    expect(await first).toBe('{"available":2}');
    await expect.poll(() => held.length).toBe(2);
    held[1]?.resolve({ available: 1 });
    expect(await Promise.all(later)).toEqual(later.map(() => '{"available":1}'));
    expect(held.length).toBe(2);
  });

  it("share nothing with another account or another URL", async () => {
    const { answer } = sharedReads(clock);
    const { held, read } = heldReads();
    for (const request of [requestOf(), requestOf("other"), requestOf("acct", `${url}?limit=1`)]) {
      void answer(request, reply, read);
    }
    await expect.poll(() => held.length).toBe(3);
  });

  it("share its failure, which the next read does not", async () => {
    const { answer } = sharedReads(clock);
    const { held, read } = heldReads();
    const failing = answer(requestOf(), reply, read);
    await expect.poll(() => held.length).toBe(1);
    const next = answer(requestOf(), reply, read);
    held[0]?.reject(new Error("no answer"));
    await expect(failing).rejects.toThrow("no answer");
    await expect.poll(() => held.length).toBe(2);
    held[1]?.resolve({});
    expect(await next).toBe("{}");
  });
});

describe("a generation that has ended", () => {
  const harness = useHarness();
  const read = async (secret: string, id: string, more = {}) =>
    (await harness.send(`${VIDEOS}/${id}`, { headers: headersOf(secret, more) })).json();
  const standsAt = (status: Status) => {
    harness.backends.getGeneration = ({ generationId }) => ({
      generation: video({ id: generationId, status }),
    });
  };

  it.each(["SUCCESS", "FAILED", "CANCELED"] as const)("is read once: %s", async (name) => {
    const id = randomId("vgen");
    standsAt(Status.PROCESSING);
    expect(await read(harness.key.secret, id)).toMatchObject({ status: "processing" });
    standsAt(Status[name]);
    const ended = await read(harness.key.secret, id);
    expect(ended).toMatchObject({ id, status: name.toLowerCase() });
    expect(await read(harness.key.secret, id)).toEqual(ended);
    expect(harness.calls.length).toBe(2);
  });

  it("is kept for its account and mode alone", async () => {
    const id = randomId("vgen");
    standsAt(Status.SUCCESS);
    await read(harness.key.secret, id);
    const other = await harness.newKey();
    await read(other.secret, id);
    const accountIds = harness.calls.map(
      ({ request }) => (request as { accountId: string }).accountId,
    );
    expect(accountIds).toEqual([harness.key.accountId, other.accountId]);
  });
});

describe("a generation that was deleted", () => {
  const generationId = randomId("vgen");
  const request = {
    method: "GET",
    url: `${VIDEOS}/${generationId}`,
    generationId,
    caller: { accountId: "acct", mode: "live" },
  } as FastifyRequest;
  const ended = { status: "success" };
  const isFinal = () => true;

  it("is read again, also where a read of before the deletion answers after it", async () => {
    const { answer, forget } = sharedReads(clock);
    const { held, read } = heldReads();
    const early = answer(request, reply, read, isFinal);
    await expect.poll(() => held.length).toBe(1);
    forget("acct", generationId);
    held[0]?.resolve(ended);
    await early;
    const late = answer(request, reply, read, isFinal);
    await expect.poll(() => held.length).toBe(2);
    held[1]?.reject(new Error("gone"));
    await expect(late).rejects.toThrow("gone");
  });

  it("is read again within 30 s by a process that does not hear of it", async () => {
    const { answer } = sharedReads(clock);
    let reads = 0;
    const read = async () => ({ ...ended, reads: (reads += 1) });
    await answer(request, reply, read, isFinal);
    clock.advance(29_999);
    await answer(request, reply, read, isFinal);
    expect(reads).toBe(1);
    clock.advance(2);
    await answer(request, reply, read, isFinal);
    expect(reads).toBe(2);
  });
});
