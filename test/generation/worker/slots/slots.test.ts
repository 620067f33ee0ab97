/** Slots: no limit is exceeded, the accounts with the fewest come first, and crashes leak none. */
import { randomId } from "#runtime/id.ts";
import { createClaimWork } from "../../../../services/generation/worker/worker.ts";
import { openPool } from "../../../support/database.ts";
import { waitingSessions } from "../../../support/waiting-sessions.ts";
import { rowsRead } from "../../../support/rows-read.ts";
import {
  FINISHED,
  running,
  scriptedUpstream,
  type ScriptedUpstream,
  scriptedUpstreams,
} from "../../../support/scripted-provider.ts";
import { pendingCall, useHarness } from "../../fixture.ts";

const h = useHarness({ tokens: 0n });
beforeEach(() => h.endTasks());

/** Sends every model to these upstreams, whose jobs run until a test ends them. */
function use(...upstreams: ScriptedUpstream[]): void {
  h.deps.upstreams = scriptedUpstreams(...upstreams);
  for (const { provider } of upstreams) provider.onPoll = () => running(1_000);
}

function useOne(): ScriptedUpstream {
  const upstream = scriptedUpstream("any");
  use(upstream);
  return upstream;
}

async function create(accountId: string, count: number, input = {}) {
  const model = "alpha-2.0-mini";
  for (let i = 0; i < count; i++) await h.createVideo({ accountId, model, input });
}

/** The next `count` polls find their jobs finished. */
function finish({ provider }: ScriptedUpstream, count: number): void {
  let left = count;
  provider.onPoll = () => (left-- > 0 ? FINISHED : running(1_000));
}

it("a claim begins with the tasks that it has taken out of their queues when due rows cannot be claimed", async () => {
  useOne();
  await create(await h.account(10_000n), 2);
  const sql = new Proxy(h.deps.sql, {
    apply: (target, self, args: [TemplateStringsArray, ...unknown[]]) =>
      String(args[0]).includes("skip locked")
        ? Promise.reject(new Error("the connection was lost"))
        : (Reflect.apply(target, self, args) as unknown),
  });
  const claim = createClaimWork({ ...h.deps, sql });
  expect(await claim(10)).toHaveLength(2);
  await expect(claim(10)).rejects.toThrow("lost");
});

describe("an account", () => {
  it("has at most as many tasks at upstreams as its limit, and gets the next slot when one has ended", async () => {
    const upstream = useOne();
    h.deps.accountConcurrency = 3;
    await create(await h.account(10_000n), 8);
    await h.drain();
    expect(upstream.provider.submitted).toHaveLength(3);
    finish(upstream, 2);
    await h.after(1_000);
    expect(upstream.provider.submitted).toHaveLength(5);
  });

  it("gets the slots of a killed worker back with their tasks", async () => {
    const upstream = useOne();
    h.deps.accountConcurrency = 2;
    await create(await h.account(10_000n), 3);
    expect(await h.claim(10)).toHaveLength(2);
    await h.drain();
    expect(upstream.provider.submitted).toHaveLength(0);
    // It may have sent them, so that they are looked up.
    upstream.provider.onFind = (token) => `job-${token}`;
    await h.after(10_001);
    expect(upstream.provider.submitted).toHaveLength(0);
    finish(upstream, 2);
    await h.after(1_000);
    expect(upstream.provider.submitted).toHaveLength(1);
  });

  it("gets its turn even if hundreds of accounts wait at their limits", async () => {
    useOne();
    h.deps.accountConcurrency = 1;
    const crowd = Array.from({ length: 300 }, () => randomId("acct"));
    await h.fillQueue(crowd, 2);
    const claim = createClaimWork(h.deps);
    const taken = [...(await claim(1_000)), ...(await claim(1_000)), ...(await claim(1_000))];
    expect(new Set(taken.map(({ accountId }) => accountId)).size).toBe(300);
    expect(taken).toHaveLength(300);
  });
});

describe("the limits of an upstream", () => {
  it("hold for all models of its credential together and for each model, over all accounts", async () => {
    const limited = (name: string) => ({
      ...scriptedUpstream(name, { credentialLimit: 3, modelLimit: 2 }),
      credential: "shared",
    });
    const [a, b] = [limited("a"), limited("b")];
    use(a, b);
    const byModel = { "alpha-2.0-mini": a, "alpha-2.0-fast": b };
    h.deps.upstreams.of = (_mode, model) =>
      Object.entries(byModel).flatMap(([id, upstream]) => (id === model ? [upstream] : []));
    for (const model of Object.keys(byModel)) await h.fillQueue(randomId("acct"), 5, model);
    await h.drain();
    const counts = [a, b].map(({ provider }) => provider.submitted.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(Math.max(...counts)).toBe(2);
  });

  it("hold for tasks that another upstream did not take", async () => {
    const broken = scriptedUpstream("broken");
    const small = scriptedUpstream("small", { modelLimit: 2 });
    use(broken, small);
    broken.provider.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    await h.fillQueue(randomId("acct"), 5);
    await h.drain();
    expect(small.provider.submitted).toHaveLength(2);
  });

  it("spread the submits of a credential over time", async () => {
    const upstream = scriptedUpstream("paced", { intervalMs: 250 });
    use(upstream);
    await h.fillQueue(randomId("acct"), 20);
    const seen: number[] = [];
    for (let i = 0; i < 12; i++) {
      await h.drain();
      seen.push(upstream.provider.submitted.length);
      h.clock.advance(250);
    }
    expect(seen[0]).toBe(1);
    expect(seen.at(-1)).toBe(12);
  });
});

describe("a claim", () => {
  it("costs the same however many tasks wait", async () => {
    await h.fillQueue(randomId("acct"), 1_000);
    // Or Postgres may plan for the empty table that it has just looked at.
    await using owner = openPool(h.urls.generation.ownerUrl);
    await owner`analyze generation.tasks`;
    useOne();
    const read = await rowsRead(h.sql, "generation.tasks", async (tx) => {
      await createClaimWork({ ...h.deps, sql: tx as never })(10);
    });
    expect(read).toBeLessThan(50);
  });

  it("leaves a mode to the worker that assigns its slots at this moment", async () => {
    useOne();
    await create(await h.account(10_000n), 1);
    await h.sql.begin(async (other) => {
      await other`select pg_advisory_xact_lock(hashtextextended('generation.assign_slots live', 0))`;
      expect(await h.claim(10)).toHaveLength(0);
    });
    expect(await h.claim(10)).toHaveLength(1);
  });
});

it("the slots of several accounts go to those with the fewest tasks at upstreams, the oldest first", async () => {
  useOne();
  const [busy, idle, late] = [randomId("acct"), randomId("acct"), randomId("acct")];
  await h.fillQueue(busy, 10);
  expect(await h.claim(8)).toHaveLength(4);
  h.clock.advance(1);
  await h.fillQueue(idle, 3);
  await h.fillQueue(late, 6);
  const taken = (await h.claim(12)).map(({ accountId }) => accountId);
  const of = (account: string) => taken.filter((one) => one === account).length;
  expect([taken.length, of(idle), of(late)]).toEqual([6, 3, 3]);
});

it("upstreams of one priority have tasks in proportion to their weights, and those of a higher number what they cannot take", async () => {
  const light = scriptedUpstream("light", { modelLimit: 3 });
  const heavy = { ...scriptedUpstream("heavy", { modelLimit: 9 }), weight: 3 };
  const backup = { ...scriptedUpstream("backup"), priority: 1 };
  use(light, heavy, backup);
  h.deps.upstreams.of = () => [light, heavy, backup];
  const submitted = () => [light, heavy, backup].map(({ provider }) => provider.submitted.length);
  await h.fillQueue(randomId("acct"), 8);
  await h.drain();
  expect(submitted()).toEqual([2, 6, 0]);
  await h.fillQueue(randomId("acct"), 6);
  await h.drain();
  expect(submitted()).toEqual([3, 9, 2]);
});

it("the limit of an account holds over the models and credentials when many workers claim at once", async () => {
  const upstreams = ["a", "b", "c"].map((name) => scriptedUpstream(name, { credentialLimit: 100 }));
  const served = ["alpha-2.0-mini", "alpha-2.0-fast", "alpha-2.0"];
  h.deps.upstreams = {
    ...scriptedUpstreams(...upstreams),
    of: (_mode, model) => upstreams.filter((_, index) => served[index] === model),
  };
  h.deps.accountConcurrency = 4;
  const accountId = randomId("acct");
  for (const model of served) await h.fillQueue(accountId, 4, model);
  const workers = Array.from({ length: 6 }, () => createClaimWork(h.deps));
  const claimed = [];
  for (let n = 0; n < 3; n++) {
    claimed.push(...(await Promise.all(workers.map((claim) => claim(20)))).flat());
  }
  expect(claimed).toHaveLength(4);
});

it("an upstream that takes bytes gets at most four tasks of an account whose pictures are still to be fetched, and all others with an intent", async () => {
  const upstream = scriptedUpstream("bytes");
  upstream.provider.takesBytes = true;
  use(upstream);
  h.deps.accountConcurrency = 1_000;
  const accountId = await h.account(100_000n);
  await create(accountId, 6, { imageUrl: "https://pictures.test/a.png" });
  await create(accountId, 6);
  const claimed = await h.claim(100);
  expect(claimed.filter((row) => row.submitToken === null)).toHaveLength(4);
  expect(claimed.filter((row) => row.submitToken !== null)).toHaveLength(6);
  expect(await h.claim(100)).toHaveLength(0);
});

it("a claim returns every task that it leases, also one that is created while its statement runs", async () => {
  useOne();
  h.deps.accountConcurrency = 1_000;
  const accountId = await h.account(10_000n);
  await create(accountId, 1);
  const { call: wait, made: locked, answer: release } = pendingCall<void>();
  // The function waits for this table, which the statement that calls it does not read.
  const holding = h.sql.begin(async (tx) => {
    await tx`lock table generation.pauses in access exclusive mode`;
    await wait();
  });
  await locked;
  const claimed = createClaimWork(h.deps)(10);
  await expect.poll(() => waitingSessions(h.sql)).toBe(1);
  await create(accountId, 1);
  release();
  await holding;
  expect(await claimed).toHaveLength(2);
});
