/** The fixture of generation's tests: one service for each file, one account for each test, and its generations. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { GenerationRow } from "../../services/generation/domain/generation.ts";
import { runTask } from "../../services/generation/worker/worker.ts";
import { randomId } from "#runtime/id.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { generationHarness, type Harness } from "../support/generation-harness.ts";
import { manualClock, type ManualClock } from "../support/manual-clock.ts";

/** `accountId`: the account of the current test. */
export type Fixture = Harness & { accountId: string };

/** Every test of the file begins with a fresh upstream, the original dependencies and an account that has `tokens`. */
export function useHarness({
  tokens = 1_000n,
  clock,
}: { tokens?: bigint; clock?: ManualClock } = {}): Fixture {
  const h = {} as Fixture;
  let original = {} as Harness["deps"];
  let sleep: ManualClock["sleep"];
  beforeAll(async () => {
    Object.assign(h, await generationHarness(clock));
    original = { ...h.deps };
    sleep = h.clock.sleep.bind(h.clock);
  });
  beforeEach(async () => {
    h.reset();
    h.clock.sleep = sleep;
    Object.assign(h.deps, original, { upstreams: { ...original.upstreams } });
    h.accountId = await h.account(tokens);
  });
  afterAll(() => h[Symbol.asyncDispose]());
  return h;
}

export function videoRequest(accountId: string, generationId = randomId("vgen")) {
  return {
    accountId,
    mode: Mode.LIVE,
    generationId,
    model: "beta-3.0-video",
    input: { prompt: "a cat in the rain" },
  };
}

type CreateOptions = { accountId?: string; model?: string; input?: object };

/** Creates a video; alpha-2.0 costs 210 Tokens. */
export async function createVideo(
  h: Fixture,
  { accountId = h.accountId, model = "alpha-2.0", input = {} }: CreateOptions = {},
) {
  const made = created(h, Kind.VIDEO, {
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
  });
  await h.client.createVideo({ ...made.address, model, input: { prompt: "a cat", ...input } });
  return made;
}

/** Creates an image, of 42 Tokens without references, and does not wait for it. */
export async function createImage(h: Fixture, input: object = {}, more: object = {}) {
  const { accountId } = h;
  const made = created(h, Kind.IMAGE, {
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("igen"),
  });
  const request = { ...made.address, model: "gamma-image-3.0-pro", ...more };
  await h.client.createImage({ ...request, input: { prompt: "a cat", ...input } });
  return made;
}

/** A generation, and what its account may do with it. */
function created(
  h: Fixture,
  kind: Kind,
  name: { accountId: string; mode: Mode; generationId: string },
) {
  const address = { ...name, kind };
  const read = async () => (await h.client.getGeneration(address)).generation;
  return {
    ...name,
    address,
    read,
    status: async () => (await read())?.status,
    cancel: () => withWorkers(h, () => h.client.cancelGeneration(address)),
    remove: () => h.client.deleteGeneration(address),
  };
}

export const failedWith = (code: string) => ({ status: Status.FAILED, error: { code } });

/** What a worker claims that takes one task. */
export async function claimOne(h: Fixture): Promise<GenerationRow> {
  const [row] = await h.claim(1);
  if (!row) throw new Error("nothing was claimed");
  return row;
}

/** The dependencies of a worker whose clock stands still, as that of a process does which is paused or dead. */
export const paused = (h: Fixture): Harness["deps"] => ({
  ...h.deps,
  clock: manualClock(h.clock.now().toISOString()),
});

/** Sends what is queued, and polls it a second later. */
export async function sendAndPoll(h: Fixture): Promise<void> {
  await h.drain();
  await after(h, 1_000);
}

/** Advances the clock and works on everything that is due then. */
export async function after(h: Fixture, ms: number): Promise<void> {
  h.clock.advance(ms);
  await h.drain();
}

/** Runs `call` while workers claim rows each time they are woken. */
export async function withWorkers<T>(h: Fixture, call: () => Promise<T>): Promise<T> {
  const drained: Promise<void>[] = [];
  h.hooks.onWake = () => void drained.push(h.drain());
  try {
    return await call();
  } finally {
    await Promise.all(drained);
    h.hooks.onWake = () => {};
  }
}

/**
 * For the rest of the test a worker's pauses of these lengths pass at once. So the clock never runs ahead of the work
 * that a test waits for. The list has those that passed.
 */
export function passPauses(h: Fixture, ...lengthsMs: readonly number[]): number[] {
  const passedMs: number[] = [];
  const { clock } = h;
  const sleep = clock.sleep.bind(clock);
  clock.sleep = async (ms, signal) => {
    if (!lengthsMs.includes(ms)) return sleep(ms, signal);
    passedMs.push(ms);
    return clock.advance(ms);
  };
  return passedMs;
}

/** A call that is not answered before the test answers it. */
export function pendingCall<T = never>() {
  const [made, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<T>()];
  const call = () => {
    made.resolve();
    return answered.promise;
  };
  return { call, made: made.promise, answer: answered.resolve, fail: answered.reject };
}

type Replaceable = Pick<Harness["deps"], "billing" | "delivery" | "writes">;

/** Replaces calls of a dependency, until the test ends or calls what is returned. */
export function replace<K extends keyof Replaceable>(
  h: Fixture,
  part: K,
  calls: Partial<Replaceable[K]>,
): () => void {
  const original = h.deps[part];
  h.deps[part] = { ...original, ...calls };
  return () => void (h.deps[part] = original);
}

/** For calls of a service that is down. */
export const isDown = () => Promise.reject(new Error("no connection"));

/** Works on claimed rows, each until it has to wait. */
export async function work(h: Fixture, rows: readonly GenerationRow[]): Promise<void> {
  await Promise.all(rows.map((row) => runTask(h.deps, row, new AbortController().signal)));
}

/** The reason for which a call was refused; undefined if it was not. */
export const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, reasonOf);
