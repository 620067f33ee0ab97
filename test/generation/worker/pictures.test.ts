/** Pictures for upstreams that take bytes: fetched before the intent, and no fault of theirs counts as the upstream's. */
import { Code, ConnectError } from "@connectrpc/connect";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { listPauses } from "../../../services/generation/store/slots.ts";
import {
  createBudget,
  fetchPictures,
  type Reservation,
} from "../../../services/generation/worker/steps/pictures.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-provider.ts";
import { useHarness, useUpstreams } from "../fixture.ts";

const h = useHarness({ tokens: 10_000n });
const CONTENT = Buffer.from("a frame");
const found = async () => ({ content: CONTENT, contentType: "image/png" });
const input = { imageUrl: "https://pictures.test/a.png" };
const image = { imageUrls: ["https://pictures.test/1.png", "https://pictures.test/2.png"] };

const upstream = bytesUpstream("bytes");
useUpstreams(h, upstream);

function bytesUpstream(name: string) {
  const made = scriptedUpstream(name);
  made.provider.takesBytes = true;
  return made;
}

/** As delivery answers for a host that is unknown, refuses, breaks off, has no certificate, or answers 5xx. */
const unreachable = async () => Promise.reject(refused(ErrorReason.UNAVAILABLE));
const unreadable = async () => Promise.reject(refused(ErrorReason.INVALID_FIELD));
/** Until all that can go on at once has gone on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const refused = (reason: ErrorReason) => refusal({ reason, field: "url", message: "no picture" });

/** Those between the tries of a fetch. */
const PAUSES_MS = [1_000, 4_000];

describe("a picture that cannot be fetched", () => {
  it("fails its task after three tries within a minute, restored, and is not the upstream's fault", async () => {
    h.hooks.onFetchInput = unreachable;
    h.passPauses(...PAUSES_MS);
    const tasks = [];
    for (let i = 0; i < 6; i++) {
      tasks.push(await h.createVideo({ input }));
      await h.drain();
    }
    const message = expect.stringMatching(/^image_url could/) as string;
    const failed = { status: Status.FAILED, error: { code: "invalid_input", message } };
    for (const { read } of tasks) expect(await read()).toMatchObject(failed);
    expect(h.fetched).toHaveLength(18);
    expect(await listPauses(h.sql, h.clock.now())).toEqual([]);
    expect(upstream.provider.submitted).toEqual([]);
    expect(await h.balance(h.accountId)).toEqual([10_000n, 0n]);
  });

  it("names the field of an image's picture, and ends the fetch of the others", async () => {
    const stopped: string[] = [];
    h.hooks.onFetchInput = async (url, signal) => {
      if (url.endsWith("2.png")) return unreadable();
      await h.clock.sleep(60_000, signal);
      stopped.push(url);
      return unreachable();
    };
    const { read } = await h.createImage(image);
    await h.drain();
    const message = expect.stringMatching(/^image_urls\[1\] could/) as string;
    const error = { code: "invalid_input", message };
    expect(await read()).toMatchObject({ status: Status.FAILED, error });
    expect([stopped.length, h.fetched.length]).toEqual([1, 2]);
  });

  it("on a host that is slow is given up after a minute", async () => {
    const clock = manualClock();
    const sleep = async (ms: number, signal?: AbortSignal) =>
      PAUSES_MS.includes(ms) ? clock.advance(ms) : clock.sleep(ms, signal);
    const isGivenUp: boolean[] = [];
    const fetchInput: typeof h.deps.delivery.fetchInput = async (_request, { signal } = {}) => {
      clock.advance(20_000);
      await turn();
      isGivenUp.push(signal?.aborted ?? false);
      return unreachable();
    };
    const parts = { delivery: { fetchInput }, clock: { ...clock, sleep }, random: () => 0.5 };
    const urls = [{ field: "image_url", url: input.imageUrl }];
    const fetched = await fetchPictures(parts, urls, new AbortController().signal);
    expect(fetched).toMatchObject({ kind: "failed", failure: { code: "invalid_input" } });
    // The last is not waited for.
    await turn();
    expect(isGivenUp).toEqual([false, false, true]);
  });
});

it("a picture that a later try finds is submitted as bytes, and the intent is younger than the fetch", async () => {
  let fetchedAt = h.clock.now();
  h.hooks.onFetchInput = async () => {
    if (h.fetched.length < 3) return unreachable();
    h.clock.advance(6_000);
    fetchedAt = h.clock.now();
    return { content: CONTENT, contentType: "image/webp" };
  };
  h.passPauses(...PAUSES_MS);
  await h.createVideo({ input });
  await h.drain();
  const [job] = upstream.provider.submitted;
  expect(job?.pictures?.map(({ content }) => Buffer.from(content))).toEqual([CONTENT]);
  expect(job?.submittedAt.getTime()).toBeGreaterThanOrEqual(fetchedAt.getTime());
});

it("a worker that loses its task during the fetch submits nothing; the next one fetches again and submits once", async () => {
  const { read } = await h.createVideo({ input });
  h.hooks.onFetchInput = async () => {
    if (h.fetched.length === 1) {
      await h.sql`
        update generation.tasks set fence = fence + 1, lease_until = null,
          next_step_at = ${h.clock.now()}
        where account_id = ${h.accountId}`;
    }
    return found();
  };
  await h.sendAndPoll();
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect([h.fetched.length, upstream.provider.submitted.length]).toEqual([2, 1]);
});

it("a delivery service that is down is not the picture's fault: the task waits without a slot, and runs when it is back", async () => {
  h.hooks.onFetchInput = () => Promise.reject(new ConnectError("gone", Code.Unavailable));
  const { read, status, generationId } = await h.createVideo({ input });
  await h.drain();
  expect(await status()).toBe(Status.PENDING);
  const [row] = await h.sql`
    select credential, submit_token from generation.tasks where id = ${generationId}`;
  expect(row).toEqual({ credential: null, submitToken: null });
  h.hooks.onFetchInput = found;
  await h.after(1_000);
  await h.after(1_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
});

it("failover to an upstream that takes bytes fetches before its intent, and once for all upstreams", async () => {
  const urls = scriptedUpstream("urls");
  const next = bytesUpstream("next");
  h.deps.upstreams = scriptedUpstreams(urls, upstream, next);
  for (const { provider } of [urls, upstream]) {
    provider.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
  }
  await h.createVideo({ input });
  await h.drain();
  const jobs = [urls, upstream, next].map(({ provider }) => provider.submitted[0]);
  expect(jobs.map((job) => job?.pictures?.length)).toEqual([undefined, 1, 1]);
  expect(new Set(jobs.map((job) => job?.token)).size).toBe(3);
  expect(h.fetched).toHaveLength(1);
});

it("an account whose pictures hang holds a few slots, and the pictures of others are fetched meanwhile", async () => {
  const hung = Promise.withResolvers<never>();
  hung.promise.catch(() => undefined);
  h.hooks.onFetchInput = (url) => (url.includes("tarpit") ? hung.promise : found());
  const tarpit = { imageUrl: "https://tarpit.test/a.png" };
  for (let i = 0; i < 12; i++) await h.createVideo({ input: tarpit });
  const drained = h.drain();
  await expect.poll(() => h.fetched.length).toBe(4);
  const other = await h.account(1_000n);
  const { status } = await h.createVideo({ accountId: other, input });
  await h.sendAndPoll();
  expect(await status()).toBe(Status.SUCCESS);
  const [held] = await h.sql<{ count: number }[]>`
    select count(*)::int from generation.tasks
    where account_id = ${h.accountId} and credential is not null`;
  expect([held?.count, h.fetched.length]).toEqual([4, 5]);
  hung.reject(refused(ErrorReason.INVALID_FIELD));
  await drained;
});

/** Reserves in turn; `granted` has those that got their memory, by their names and in that order. */
function reserving(limits: { total: number; perAccount: number }) {
  const reserve = createBudget(limits);
  const granted = new Map<string, Reservation>();
  return {
    granted,
    reserve: async (name: string, bytes: number, signal = new AbortController().signal) => {
      const note = (reservation: Reservation) => void granted.set(name, reservation);
      reserve(name.slice(0, 1), bytes, signal).then(note, () => undefined);
      await turn();
    },
    release: async (name: string) => {
      granted.get(name)?.[Symbol.dispose]();
      await turn();
    },
  };
}

describe("the memory for pictures", () => {
  it("an account holds no more than its part, and others are served meanwhile", async () => {
    const { reserve, release, granted } = reserving({ total: 100, perAccount: 30 });
    for (const name of ["a1", "a2", "a3", "a4"]) await reserve(name, 15);
    await reserve("b1", 30);
    expect([...granted.keys()]).toEqual(["a1", "a2", "b1"]);
    await release("a1");
    expect([...granted.keys()].at(-1)).toBe("a3");
  });

  it("a large request keeps its turn before smaller ones of others", async () => {
    const { reserve, release, granted } = reserving({ total: 30, perAccount: 30 });
    await reserve("a1", 20);
    await reserve("b1", 30);
    await reserve("c1", 10);
    expect([...granted.keys()]).toEqual(["a1"]);
    await release("a1");
    await release("b1");
    expect([...granted.keys()]).toEqual(["a1", "b1", "c1"]);
  });

  it("what is shrunk is free for others, and what is given up is not waited for", async () => {
    const { reserve, granted } = reserving({ total: 30, perAccount: 30 });
    await reserve("a1", 30);
    const stop = new AbortController();
    await reserve("b1", 30, stop.signal);
    await reserve("c1", 20);
    granted.get("a1")?.shrinkTo(10);
    await turn();
    expect([...granted.keys()]).toEqual(["a1"]);
    stop.abort(new Error("stopped"));
    await turn();
    expect([...granted.keys()]).toEqual(["a1", "c1"]);
  });

  it("a request beyond an account's part is served with the whole of it", async () => {
    const { reserve, granted } = reserving({ total: 30, perAccount: 20 });
    await reserve("a1", 50);
    expect([...granted.keys()]).toEqual(["a1"]);
  });
});
