/** Images that begin in the commit of their acknowledgement: once, within every limit, and only where nobody waits. */
import { beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../../../services/generation/domain/generation.ts";
import {
  tryLockAccounts,
  tryLockCredentials,
} from "../../../services/generation/store/slot-locks.ts";
import { imageBeginner } from "../../../services/generation/worker/begin-images.ts";
import { LEASE_MS } from "../../../services/generation/worker/claim-work.ts";
import { runTask } from "../../../services/generation/worker/run-task.ts";
import { UNLIMITED } from "../../../services/generation/worker/slots/bulkheads.ts";
import type { StepRunner } from "../../../services/generation/worker/steps/step.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-upstreams.ts";
import { after, createImage, useHarness, work } from "../fixture.ts";

const MODEL = "gamma-image-3.0-pro";
const h = useHarness();
type Begun = { row: GenerationRow; firstStep: StepRunner };
let begun: Begun[];
let capacity: { limit: number; shares: typeof UNLIMITED };

beforeEach(async () => {
  await h.endTasks();
  begun = [];
  capacity = { limit: 10, shares: UNLIMITED };
  h.deps.acknowledgeImage = imageBeginner(h.deps, {
    capacity: () => capacity,
    begin: (row, firstStep) => begun.push({ row, firstStep }),
  });
});

const signal = new AbortController().signal;
const run = ({ row, firstStep }: Begun) => runTask(h.deps, row, signal, firstStep);
const runAll = () => Promise.all(begun.splice(0).map(run));

const imageOf = (accountId: string) =>
  h.client.createImage({
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("igen"),
    model: MODEL,
    input: { prompt: "a cat" },
    waitSeconds: 0,
  });

/** Creates images whose acknowledgements come in one turn, so that they share a statement. */
async function createTogether(...accountIds: string[]): Promise<void> {
  const { acknowledgeImage } = h.deps;
  const all = Promise.withResolvers<void>();
  let missing = accountIds.length;
  h.deps.acknowledgeImage = async (...args) => {
    if (--missing === 0) all.resolve();
    await all.promise;
    return acknowledgeImage(...args);
  };
  await Promise.all(accountIds.map(imageOf));
}

const queued = async () => {
  const rows = await h.sql`select from generation.tasks where step = 'queue'`;
  return rows.length;
};

describe("an image with capacity for it", () => {
  it("has slot, lease and intent with its acknowledgement, is sent once, and is charged with its success", async () => {
    const { read } = await createImage(h);
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(await h.claim(10)).toEqual([]);
    const [row] = begun.map((one) => one.row);
    expect(row).toEqual(await h.deps.find(row?.accountId ?? "", row?.id ?? ""));
    expect(row).toMatchObject({
      step: "submit",
      upstream: "simulator",
      submitToken: `${row?.id}.2`,
      fence: 2n,
    });
    h.clock.advance(1_000);
    await runAll();
    expect(h.provider.submitted.map(({ token }) => token)).toEqual([`${row?.id}.2`]);
    const ended = await h.deps.find(row?.accountId ?? "", row?.id ?? "");
    expect(ended?.submittedAt).toEqual(row?.submittedAt);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("goes to the next upstream, with a token of its own, if the first one rejects it", async () => {
    const [a, b] = [scriptedUpstream("a"), scriptedUpstream("b")];
    h.deps.upstreams = scriptedUpstreams(a, b);
    a.provider.onImage = () => ({ kind: "rejected", fault: "unavailable" });
    const { status, generationId } = await createImage(h);
    await runAll();
    expect(a.provider.submitted.map(({ token }) => token)).toEqual([`${generationId}.2`]);
    expect(b.provider.submitted.map(({ token }) => token)).toEqual([`${generationId}.2.1`]);
    expect(await status()).toBe(Status.SUCCESS);
  });

  it("is not sent again where its process died with the intent: it fails, restored", async () => {
    const { read } = await createImage(h);
    await after(h, LEASE_MS + 1);
    await after(h, 31_000);
    expect(h.provider.submitted).toEqual([]);
    expect(await read()).toMatchObject({ status: Status.FAILED, error: { code: "internal" } });
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("goes back to its queue where only the answer of its commit was lost, and is made once", async () => {
    const { sql } = h.deps;
    h.deps.sql = new Proxy(sql, {
      get: (target, name, self) =>
        name === "begin"
          ? async (run: (tx: Transaction) => Promise<unknown>) => {
              await sql.begin(run);
              throw new Error("connection lost");
            }
          : Reflect.get(target, name, self),
    });
    const generationId = randomId("igen");
    const address = { accountId: h.accountId, mode: Mode.LIVE, generationId };
    const request = { ...address, model: MODEL, input: { prompt: "a cat" }, waitSeconds: 0 };
    await expect(h.client.createImage(request)).rejects.toThrow("internal error");
    h.deps.sql = sql;
    const late = begun.map((one) => ({ ...one }));
    await runAll();
    expect(h.provider.submitted).toEqual([]);
    const claimed = await h.claim(10);
    // Repeated late, it takes nothing from the worker that has the image now.
    await Promise.all(late.map(run));
    expect(await queued()).toBe(0);
    await work(h, claimed);
    const { generation } = await h.client.createImage(request);
    expect(generation?.status).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });
});

describe("an image waits in its queue", () => {
  it.each([
    ["has no capacity", () => ({ ...capacity, limit: 0 })],
    [
      "may take no more of the upstream",
      () => ({ ...capacity, shares: { ...UNLIMITED, free: () => 0 } }),
    ],
  ])("where its process %s", async (_why, capacityOf) => {
    capacity = capacityOf();
    const { status } = await createImage(h);
    expect(begun).toEqual([]);
    expect(await queued()).toBe(1);
    await h.drain();
    expect(await status()).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("where another worker assigns slots of its account at this moment", async () => {
    await h.sql.begin(async (other) => {
      expect(await tryLockAccounts(other, [h.accountId], 1)).toEqual([h.accountId]);
      await createImage(h);
    });
    expect(begun).toEqual([]);
    expect(await queued()).toBe(1);
  });

  it("where another worker assigns slots of its limited credential at this moment", async () => {
    const upstream = scriptedUpstream("a", { credentialConcurrency: 5 });
    h.deps.upstreams = scriptedUpstreams(upstream);
    await h.sql.begin(async (other) => {
      expect(await tryLockCredentials(other, [upstream.credential])).toBe(true);
      await createImage(h);
    });
    expect(begun).toEqual([]);
  });

  it("where an upstream has to be sent the bytes of its pictures, which are fetched before the intent", async () => {
    const upstream = scriptedUpstream("a");
    upstream.provider.takesBytes = true;
    h.deps.upstreams = scriptedUpstreams(upstream);
    await createImage(h);
    expect(begun).toHaveLength(1);
    await createImage(h, { imageUrls: ["https://example.com/a.png"] });
    expect(begun).toHaveLength(1);
    expect(await queued()).toBe(1);
  });

  it("behind those that wait, whosever they are", async () => {
    h.deps.upstreams = { ...h.deps.upstreams, available: () => [] };
    await createImage(h);
    Object.assign(h.deps.upstreams, {
      available: scriptedUpstreams(scriptedUpstream("a")).available,
    });
    await imageOf(await h.account(100n));
    expect(begun).toEqual([]);
    expect(await queued()).toBe(2);
  });

  it("at the limit of its account, while others of the same moment begin", async () => {
    h.deps.accountConcurrency = 2;
    const other = await h.account(100n);
    await createTogether(h.accountId, h.accountId, h.accountId, other);
    expect(begun.map(({ row }) => row.accountId).toSorted()).toEqual(
      [h.accountId, h.accountId, other].toSorted(),
    );
    expect(await queued()).toBe(1);
  });

  it("with all of its moment where the upstream has no slot for each: the queue shares them", async () => {
    h.deps.upstreams = scriptedUpstreams(scriptedUpstream("a", { credentialConcurrency: 3 }));
    const other = await h.account(100n);
    await createTogether(h.accountId, h.accountId, h.accountId, other);
    expect(begun).toEqual([]);
    const claimed = await h.claim(10);
    expect(claimed.filter(({ accountId }) => accountId === other)).toHaveLength(1);
    expect(claimed).toHaveLength(3);
  });
});

describe("limits of upstreams hold for images that begin at once", () => {
  it("of concurrency", async () => {
    h.deps.upstreams = scriptedUpstreams(scriptedUpstream("a", { credentialConcurrency: 2 }));
    for (let n = 0; n < 3; n++) await createImage(h);
    expect(begun).toHaveLength(2);
    expect(await h.claim(10)).toEqual([]);
  });

  it("of submits per second", async () => {
    h.deps.upstreams = scriptedUpstreams(scriptedUpstream("a", { submitsPerSecond: 1 }));
    await createImage(h);
    await createImage(h);
    expect(begun).toHaveLength(1);
    expect(await h.claim(10)).toEqual([]);
    h.clock.advance(1_000);
    expect(await h.claim(10)).toHaveLength(1);
  });
});
