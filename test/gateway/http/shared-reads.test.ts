/** Reads of the same thing share one read, and a generation that has ended is kept. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { sharedReads } from "../../../services/gateway/http/shared-reads.ts";
import { video } from "../backends.ts";
import { useHarness } from "../harness.ts";
import { headersOf } from "../requests.ts";

const VIDEOS = "/v1/videos/generations";

describe("reads of the same at the same time", () => {
  const url = "/v1/balance";
  const requestOf = (accountId = "acct", path = url) =>
    ({ method: "GET", url: path, caller: { accountId, mode: "live" } }) as FastifyRequest;
  const reply = {
    type: () => reply,
    getSerializationFunction: () => JSON.stringify,
  } as unknown as FastifyReply;
  /** A read whose results the test gives. */
  const heldReads = () => {
    const held: PromiseWithResolvers<object>[] = [];
    const read = () => {
      held.push(Promise.withResolvers());
      return held.at(-1)?.promise ?? Promise.reject(new Error("unreachable"));
    };
    return { held, read };
  };

  it("share the next read, never one that began before they arrived", async () => {
    const { answer } = sharedReads();
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
    const { answer } = sharedReads();
    const { held, read } = heldReads();
    for (const request of [requestOf(), requestOf("other"), requestOf("acct", `${url}?limit=1`)]) {
      void answer(request, reply, read);
    }
    await expect.poll(() => held.length).toBe(3);
  });

  it("share its failure, which the next read does not", async () => {
    const { answer } = sharedReads();
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
