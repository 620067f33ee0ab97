import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import {
  insertGeneration,
  takeOverGenerationIfAbandoned,
} from "../../../services/generation/store/generations.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

type Reserve = Harness["deps"]["billing"]["reserve"];

const LEASE_MS = 15_000;
/** A busy machine fails nothing. */
const PATIENCE = { timeout: 10_000 };

let h: Harness;
let billing: Harness["deps"]["billing"];
let call: ReturnType<typeof request>;
beforeAll(async () => {
  h = await generationHarness();
  billing = h.deps.billing;
});
beforeEach(async () => {
  h.deps.billing = billing;
  h.deps.clock = h.clock;
  call = request(await h.account(500n));
});
afterAll(() => h[Symbol.asyncDispose]());

function request(accountId: string) {
  return {
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
    model: "beta-3.0-video",
    input: { prompt: "a cat in the rain" },
  };
}

function onReserve(reserve: Reserve): void {
  h.deps.billing = { ...billing, reserve };
}

/** The pauses that creates make from now on. */
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
  it("whose reserve took Tokens and lost its answer is refused, and a worker gives them back", async () => {
    onReserve(async (...args) => {
      await billing.reserve(...args);
      throw new ConnectError("connection lost", Code.Unavailable);
    });
    expect(await h.client.createVideo(call).then(() => undefined, reasonOf)).toBe(
      ErrorReason.UNAVAILABLE,
    );
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
    const woken = h.client.createVideo(call).then(() => undefined, reasonOf);
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
    expect(await found.then(() => undefined, reasonOf)).toBe(ErrorReason.NOT_FOUND);
    second.resolve();
    expect(await retry).toMatchObject({ replayed: false, generation: { status: Status.PENDING } });
    expect(await h.balance(call.accountId)).toEqual([0n, 500n]);
  });
});

describe("a retry of a key whose first create is still at work", () => {
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
      await expect.poll(() => pausedMs, PATIENCE).toHaveLength(1);
    } finally {
      first.resolve();
    }
    expect(await original).toMatchObject({ replayed: false });
    h.clock.advance(25);
    expect(await retry).toMatchObject({ replayed: true });
    expect(reserves).toBe(1);
  });

  it("cannot take its row over before the lease is over", async () => {
    const at = h.clock.now();
    const row = await insertGeneration(h.sql, {
      accountId: call.accountId,
      id: call.generationId,
      kind: "video",
      mode: "live",
      model: call.model,
      input: call.input,
      defaulted: [],
      tokens: 500n,
      at,
      leaseUntil: addMs(at, LEASE_MS),
      undoAt: addMs(at, 2 * LEASE_MS),
    });
    if (!row) throw new Error("the row was not inserted");
    const takeOver = (afterMs: number) => {
      const now = addMs(at, afterMs);
      const [leaseUntil, undoAt] = [addMs(now, LEASE_MS), addMs(now, 2 * LEASE_MS)];
      return takeOverGenerationIfAbandoned(h.sql, row, now, leaseUntil, undoAt);
    };
    expect(await takeOver(LEASE_MS - 1)).toBeUndefined();
    expect(await takeOver(LEASE_MS)).toMatchObject({ id: row.id });
  });
});
