/** Two calls of one create: who continues, who waits, and whose writes count. */
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, it } from "vitest";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { takeOverCreateIfAbandoned } from "../../../services/generation/store/creates.ts";
import type { Harness } from "../../support/generation-harness.ts";
import { refusalOf, useHarness, videoRequest } from "../fixture.ts";

type Reserve = Harness["deps"]["billing"]["reserve"];

const LEASE_MS = 15_000;
/** Long enough for a busy machine. */

const h = useHarness({ tokens: 500n });
let billing: Harness["deps"]["billing"];
let call: ReturnType<typeof videoRequest>;
beforeEach(() => {
  billing = h.deps.billing;
  call = videoRequest(h.accountId);
});

function onReserve(reserve: Reserve): void {
  h.deps.billing = { ...billing, reserve };
}

/** Records the pauses that creates make from now on. */
function pauses(): number[] {
  const pausedMs: number[] = [];
  h.deps.clock = {
    ...h.clock,
    sleep: (ms, signal) => {
      pausedMs.push(ms);
      return h.clock.sleep(ms, signal);
    },
  };
  return pausedMs;
}

describe("a create", () => {
  it("whose reserve held Tokens and lost its answer is refused, and a worker releases them", async () => {
    onReserve(async (...args) => {
      await billing.reserve(...args);
      throw new ConnectError("connection lost", Code.Unavailable);
    });
    expect(await refusalOf(h.client.createVideo(call))).toBe(ErrorReason.UNAVAILABLE);
    expect(await h.balance(call.accountId)).toEqual([0n, 500n]);
    await h.drain();
    expect(await h.balance(call.accountId)).toEqual([500n, 0n]);
  });

  it("that wakes after it was undone does not acknowledge the retry that has not reserved yet", async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [isReserved, isRetried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onReserve(async (...args) => {
      const reserved = await billing.reserve(...args);
      isReserved.resolve();
      await first.promise;
      return reserved;
    });
    const woken = refusalOf(h.client.createVideo(call));
    await isReserved.promise;
    h.clock.advance(31_000);
    await h.drain();
    onReserve(async (...args) => {
      isRetried.resolve();
      await second.promise;
      return billing.reserve(...args);
    });
    const retry = h.client.createVideo(call);
    await isRetried.promise;
    first.resolve();
    expect(await woken).toBe(ErrorReason.UNAVAILABLE);
    const found = h.client.getGeneration({ ...call, kind: Kind.VIDEO });
    expect(await refusalOf(found)).toBe(ErrorReason.NOT_FOUND);
    second.resolve();
    expect(await retry).toMatchObject({ replayed: false, generation: { status: Status.PENDING } });
    expect(await h.balance(call.accountId)).toEqual([0n, 500n]);
  });

  it("whose reserve fails after a retry took it over does not undo the retry", async () => {
    const lost = Promise.withResolvers<never>();
    const [isSent, isRetried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const goOn = Promise.withResolvers<void>();
    onReserve(() => {
      isSent.resolve();
      return lost.promise;
    });
    const first = refusalOf(h.client.createVideo(call));
    await isSent.promise;
    h.clock.advance(LEASE_MS);
    onReserve(async (...args) => {
      isRetried.resolve();
      await goOn.promise;
      return billing.reserve(...args);
    });
    const retry = h.client.createVideo(call);
    await isRetried.promise;
    lost.reject(new ConnectError("connection lost", Code.Unavailable));
    expect(await first).toBe(ErrorReason.UNAVAILABLE);
    const row = await h.deps.find(call.accountId, call.generationId);
    expect(row).toMatchObject({ step: "reserve", attempt: 1 });
    goOn.resolve();
    expect(await retry).toMatchObject({ replayed: false, generation: { status: Status.PENDING } });
    expect(await h.deps.find(call.accountId, call.generationId)).toMatchObject({
      step: "queue",
      attempt: 1,
    });
    expect(await h.balance(call.accountId)).toEqual([0n, 500n]);
  });
});

describe("a retry of a key whose first create is still running", () => {
  it("waits for it, and is answered with its generation", async () => {
    const [first, isSent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reserves = 0;
    onReserve(async (...args) => {
      reserves += 1;
      isSent.resolve();
      await first.promise;
      return billing.reserve(...args);
    });
    const original = h.client.createVideo(call);
    await isSent.promise;
    const pausedMs = pauses();
    const retry = h.client.createVideo(call);
    try {
      await expect.poll(() => pausedMs).toHaveLength(1);
    } finally {
      first.resolve();
    }
    expect(await original).toMatchObject({ replayed: false });
    h.clock.advance(25);
    expect(await retry).toMatchObject({ replayed: true });
    expect(reserves).toBe(1);
  });

  it("cannot take over its row before the lease has ended", async () => {
    const at = h.clock.now();
    const row = await h.deps.writes.insert({
      accountId: call.accountId,
      id: call.generationId,
      kind: "video",
      mode: "live",
      model: call.model,
      input: call.input,
      defaulted: [],
      keyId: null,
      requestId: null,
      traceparent: null,
      tokens: 500n,
      at,
      leaseUntil: addMs(at, LEASE_MS),
      undoAt: addMs(at, 2 * LEASE_MS),
    });
    if (!row) throw new Error("the row was not inserted");
    const takeOver = (afterMs: number) => {
      const now = addMs(at, afterMs);
      const [leaseUntil, undoAt] = [addMs(now, LEASE_MS), addMs(now, 2 * LEASE_MS)];
      return takeOverCreateIfAbandoned(h.sql, row, now, leaseUntil, undoAt);
    };
    expect(await takeOver(LEASE_MS - 1)).toBeUndefined();
    expect(await takeOver(LEASE_MS)).toMatchObject({ id: row.id });
  });
});
