import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { listQueuedAccounts, listQueues } from "../../../services/generation/store/slots.ts";
import { fairShare } from "../../../services/generation/domain/fair-share.ts";
import { createClaimWork } from "../../../services/generation/worker/claim-work.ts";
import { runJob } from "../../../services/generation/worker/run-job.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { scriptedRoute, scriptedRoutes } from "../../support/scripted-upstreams.ts";
import type { ScriptedRoute } from "../../support/scripted-upstreams.ts";

let h: Harness;
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  await h.sql`update generation.generations set step = 'done', next_step_at = null, lease_until = null
    where step <> 'done'`;
  h.deps.accountConcurrency = 50;
});
afterAll(() => h[Symbol.asyncDispose]());

/** Every model goes to this route, whose jobs run until a test ends them. */
function use(...routes: ScriptedRoute[]): void {
  h.deps.upstreams = scriptedRoutes(...routes);
  for (const { provider } of routes) {
    provider.onPoll = () => ({ kind: "running", pollAfterMs: 1_000 });
  }
}

async function create(accountId: string, count: number, model = "alpha-2.0-mini"): Promise<void> {
  for (let i = 0; i < count; i++) {
    await h.client.createVideo({
      accountId,
      mode: Mode.LIVE,
      generationId: randomId("vgen"),
      model,
      input: { prompt: "a cat" },
    });
  }
}

/** Tasks of one account that wait, without their holds. */
async function fill(accountId: string, count: number): Promise<void> {
  const at = h.clock.now();
  await h.sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, step,
      status, next_step_at, created_at)
    select ${accountId}, 'vgen_' || substr(md5(${accountId} || n::text), 1, 26), 'video', 'live', 'alpha-2.0-mini',
      '{"prompt":"a cat","duration":5,"aspect_ratio":"16:9"}', '{}', 1, 1, 'queue', 'pending',
      ${at}::timestamptz + interval '24 h', ${at} from generate_series(1, ${count}::int) n`;
}

const end = (route: ScriptedRoute, count: number) => {
  let left = count;
  const sources = [{ url: "http://upstream.test/file", configuredOrigin: true }];
  route.provider.onPoll = () =>
    left-- > 0 ? { kind: "succeeded", sources } : { kind: "running", pollAfterMs: 1_000 };
};

describe("an account", () => {
  it("has at most as many tasks at upstreams as it may have, and the next when one has ended", async () => {
    const route = scriptedRoute("any");
    use(route);
    h.deps.accountConcurrency = 3;
    await create(await h.account(10_000n), 8);
    await h.drain();
    expect(route.provider.submitted).toHaveLength(3);
    end(route, 2);
    h.clock.advance(1_000);
    await h.drain();
    expect(route.provider.submitted).toHaveLength(5);
  });

  it("has no more where many workers look at once", async () => {
    const route = scriptedRoute("any");
    use(route);
    h.deps.accountConcurrency = 5;
    await create(await h.account(10_000n), 12);
    const workers = Array.from({ length: 6 }, () => createClaimWork(h.deps));
    const claimed = await Promise.all(workers.map((claim) => claim(20)));
    expect(claimed.flat()).toHaveLength(5);
  });

  it("gets the places back of a worker that was killed, with its tasks", async () => {
    const route = scriptedRoute("any");
    use(route);
    h.deps.accountConcurrency = 2;
    await create(await h.account(10_000n), 3);
    expect(await h.claim(10)).toHaveLength(2);
    await h.drain();
    expect(route.provider.submitted).toHaveLength(0);
    h.clock.advance(10_001);
    await h.drain();
    expect(route.provider.submitted).toHaveLength(2);
    end(route, 2);
    h.clock.advance(1_000);
    await h.drain();
    expect(route.provider.submitted).toHaveLength(3);
  });

  it("with 5,000 waiting tasks leaves another's first the next place", async () => {
    const route = scriptedRoute("any");
    use(route);
    h.deps.accountConcurrency = 1_000_000;
    const [crowd, late] = [randomId("acct"), randomId("acct")];
    await fill(crowd, 5_000);
    expect((await h.claim(8)).map(({ account_id }) => account_id)).toContain(crowd);
    await fill(late, 1);
    const next = await h.claim(8);
    expect(next.map(({ account_id }) => account_id)).toContain(late);
  });

  it("does not keep others from their turn where hundreds have all that they may have", async () => {
    const route = scriptedRoute("any");
    use(route);
    h.deps.accountConcurrency = 1;
    const crowd = Array.from({ length: 300 }, () => randomId("acct"));
    await Promise.all(crowd.map((accountId) => fill(accountId, 2)));
    const claim = createClaimWork(h.deps);
    const taken = [...(await claim(1_000)), ...(await claim(1_000)), ...(await claim(1_000))];
    expect(new Set(taken.map(({ account_id }) => account_id)).size).toBe(300);
    expect(taken).toHaveLength(300);
  });
});

describe("a route's limits", () => {
  it("hold for all models of its credential, and for one model there, whoever asks", async () => {
    const credentialConcurrency = 3;
    const [a, b] = ["a", "b"].map((name) =>
      Object.assign(scriptedRoute(name, { credentialConcurrency, modelConcurrency: 2 }), {
        credential: "shared",
      }),
    ) as [ScriptedRoute, ScriptedRoute];
    use(a, b);
    const byModel = { "alpha-2.0-mini": a, "alpha-2.0-fast": b };
    h.deps.upstreams.available = (_mode, model) =>
      Object.entries(byModel).flatMap(([id, route]) => (id === model ? [route] : []));
    for (const model of Object.keys(byModel)) await create(await h.account(10_000n), 5, model);
    await h.drain();
    const counts = [a, b].map(({ provider }) => provider.submitted.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(Math.max(...counts)).toBe(2);
  });

  it("send what has no room at the best route to the next", async () => {
    const [small, large] = [
      scriptedRoute("small", { modelConcurrency: 2 }),
      scriptedRoute("large"),
    ];
    use(small, large);
    await create(await h.account(10_000n), 5);
    await h.drain();
    expect([small, large].map(({ provider }) => provider.submitted.length)).toEqual([2, 3]);
  });

  it("hold where a task comes over from a route that did not take it", async () => {
    const [broken, small] = [
      scriptedRoute("broken"),
      scriptedRoute("small", { modelConcurrency: 2 }),
    ];
    use(broken, small);
    broken.provider.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    await create(await h.account(10_000n), 5);
    await h.drain();
    expect(small.provider.submitted).toHaveLength(2);
  });

  it("pace the submits of a credential", async () => {
    const route = scriptedRoute("paced", { submitsPerSecond: 4 });
    use(route);
    await create(await h.account(10_000n), 30);
    const seen: number[] = [];
    for (let i = 0; i < 20; i++) {
      await h.drain();
      seen.push(route.provider.submitted.length);
      h.clock.advance(250);
    }
    expect(seen[0]).toBe(1);
    expect(seen.at(-1)).toBe(20);
  });
});

it("looking for work costs the same however many tasks wait", async () => {
  const crowd = randomId("acct");
  await fill(crowd, 5_000);
  const lane = { mode: "live", model: "alpha-2.0-mini", kind: "video" } as const;
  const read = await rowsRead(h.sql, "generation.generations", async (tx) => {
    await listQueues(tx);
    await listQueuedAccounts(tx, lane, "", { accounts: 256, accountConcurrency: 50 });
  });
  expect(read).toBeLessThan(50);
});

it("a task that waits for a place holds none of a worker's: nothing of it is claimed", async () => {
  use(scriptedRoute("full", { modelConcurrency: 1 }));
  await create(await h.account(10_000n), 4);
  const [first, ...more] = await h.claim(10);
  expect(more).toHaveLength(0);
  if (first) await runJob(h.deps, first, new AbortController().signal);
  expect(await h.claim(10)).toHaveLength(0);
});

describe("a fair share", () => {
  it.each([
    [[5_000, 1], 8, [7, 1]],
    [[5_000, 5_000], 8, [4, 4]],
    [[1, 1, 1, 1], 2, [1, 1, 0, 0]],
    [[0, 3, 0, 2], 100, [0, 3, 0, 2]],
    [[], 3, []],
    [[4], 0, [0]],
  ])("of those who want %j is, of %i places, %j", (wanted, places, given) => {
    expect(fairShare(wanted, places)).toEqual(given);
  });
});
