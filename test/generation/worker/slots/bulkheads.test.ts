/** Upstreams that hang take only their share of a worker's slots, however many they are. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { createBulkheads } from "../../../../services/generation/worker/steps/slots.ts";
import { createClaimWork, startWorker } from "../../../../services/generation/worker/worker.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../../support/scripted-provider.ts";
import { realClock, useHarness } from "../../fixture.ts";

const CONCURRENCY = 6;
/** Each of the two has at most half of what the other leaves. */
const MAX_HUNG = 4;
const h = useHarness({ tokens: 20_000n, clock: realClock });
const [one, other] = [scriptedUpstream("one"), scriptedUpstream("other")];
const quick = scriptedUpstream("quick");
const byModel = new Map([
  ["alpha-2.0-mini", one],
  ["alpha-2.0-fast", other],
]);
const hanging = [one, other];

/** When the hanging upstreams answer. */
let released = Promise.withResolvers<void>();

beforeEach(async () => {
  released = Promise.withResolvers<void>();
  await h.endTasks();
  h.deps.upstreams = scriptedUpstreams(one, other, quick);
  h.deps.upstreams.of = (_mode, model) => [byModel.get(model) ?? quick];
});

/** More tasks of the two hanging upstreams than a worker can run. */
async function createMany(): Promise<void> {
  for (const model of byModel.keys()) await h.fillQueue(randomId("acct"), 8, model);
}

/** A worker whose calls of the hanging upstreams are as many as may be makes a video of the third meanwhile. */
async function expectQuickSuccess(hanging: () => number): Promise<void> {
  await using worker = startWorker(h.deps, CONCURRENCY);
  h.hooks.onWake = worker.wake;
  await expect.poll(hanging).toBe(MAX_HUNG);
  const { status } = await h.createVideo();
  await expect.poll(status).toBe(Status.SUCCESS);
  expect(hanging()).toBe(MAX_HUNG);
  released.resolve();
}

describe("two upstreams that answer nothing, with more tasks than a worker can run", () => {
  it("do not hold up the tasks of a third with their submits", async () => {
    for (const { provider } of hanging) {
      provider.onSubmit = async () => {
        await released.promise;
        return { kind: "unknown" };
      };
    }
    await createMany();
    await expectQuickSuccess(() => hanging.flatMap(({ provider }) => provider.submitted).length);
  });

  it("do not hold up the tasks of a third with polls that were due together", async () => {
    for (const { provider } of hanging) {
      provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    }
    await createMany();
    await h.drain();
    await h.sql`
      update generation.tasks g set next_step_at = now() - turn.seconds * interval '1 s'
      from (select id, row_number() over (partition by credential order by id) as seconds
        from generation.tasks) turn
      where g.id = turn.id and g.step = 'poll'`;
    let polls = 0;
    for (const { provider } of hanging) {
      provider.onPoll = async () => {
        polls += 1;
        await released.promise;
        return { kind: "gone" };
      };
    }
    await expectQuickSuccess(() => polls);
  });
});

it("a row whose lease cannot be ended costs its credential nothing", async () => {
  one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
  for (let i = 0; i < 2; i++) await h.createVideo({ model: "alpha-2.0-mini" });
  await h.drain();
  await h.sql`update generation.tasks set next_step_at = now() - interval '1 s' where step = 'poll'`;
  const bulkheads = createBulkheads(2);
  const writes = { ...h.deps.writes, update: () => Promise.reject(new Error("no Postgres")) };
  const claimed = await createClaimWork({ ...h.deps, writes }, bulkheads)(10);
  expect(claimed).toHaveLength(1);
  for (const row of claimed) bulkheads.release(row);
  expect(bulkheads.free(claimed[0]?.credential ?? "")).toBe(1);
});
