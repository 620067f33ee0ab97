/**
 * Worker processes that are killed, or paused beyond their leases, while they run tasks against one database and one
 * upstream.
 */
import { randomUUID } from "node:crypto";
import { json } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { compareHolds } from "../../services/generation/holds/holds.ts";
import { generationHarness, realClock, type Harness } from "../support/generation-harness.ts";
import { openIdentities } from "../../services/ops/setup/identities.ts";
import { startHttp } from "../support/http-server.ts";
import { startProcess, type Running } from "../support/process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isLong } from "../support/test-size.ts";

const SIZE = { tasks: 500, workers: 3, kills: 20, everyMs: 2_000, jobMs: 8_000 };
const PRICE = 105n;
const ACCOUNTS = 10;
/** Far longer than the delay after a kill, which is printed, so that a busy machine fails nothing. */
const PATIENTLY = { timeout: 120_000, interval: 250 };

describe.runIf(isLong)(`${SIZE.tasks} tasks whose workers are killed or paused`, () => {
  it("end each with one upstream job, or failed without one, and every Token is accounted for", async () => {
    await using stack = new AsyncDisposableStack();
    const h = stack.use(await generationHarness(realClock));
    const upstream = stack.use(await recordingUpstream(SIZE.jobMs, 9));
    const startWorker = await workerStarter(stack, h, upstream.url);
    const workers = await Promise.all(Array.from({ length: SIZE.workers + 1 }, startWorker));
    const accounts = await submitTasks(h);

    // One worker is paused beyond its lease and wakes when others have its tasks.
    const paused = workers.pop() as Running;
    await expect.poll(() => upstream.jobs.length).toBeGreaterThan(0);
    paused.signal("SIGSTOP");
    const starting: Promise<void>[] = [];
    for (let kill = 0; kill < SIZE.kills; kill++) {
      await systemClock.sleep(SIZE.everyMs);
      const [killed] = workers.splice(kill % workers.length, 1);
      await killed?.end("SIGKILL");
      starting.push(startWorker().then((worker) => void workers.push(worker)));
    }
    const lastKillAt = Date.now();
    await expect.poll(() => unfinished(h), PATIENTLY).toBe(0);
    await Promise.all(starting);
    process.stdout.write(`all ended ${Date.now() - lastKillAt} ms after the last kill\n`);

    await audit(h, accounts, upstream.jobs);
    paused.signal("SIGCONT");
    expect(await paused.end("SIGTERM")).toBe(0);
    await audit(h, accounts, upstream.jobs);
  }, 240_000);
});

async function submitTasks(h: Harness): Promise<string[]> {
  const perAccount = SIZE.tasks / ACCOUNTS;
  const tokens = PRICE * BigInt(perAccount);
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => h.account(tokens)));
  const tasks = Array.from({ length: SIZE.tasks }, (_, index) => accounts[index % ACCOUNTS] ?? "");
  await Promise.all(
    tasks.map((accountId) =>
      h.client.createVideo({
        accountId,
        mode: Mode.LIVE,
        generationId: randomId("vgen"),
        model: "alpha-2.0-mini",
        input: { prompt: "a cat" },
      }),
    ),
  );
  return accounts;
}

async function audit(
  h: Harness,
  accounts: readonly string[],
  jobs: readonly RecordedJob[],
): Promise<void> {
  const failed = await auditJobs(h, jobs);
  for (const accountId of accounts) {
    const restored = failed.filter((id) => id === accountId).length;
    expect(await h.balance(accountId)).toEqual([PRICE * BigInt(restored), 0n]);
  }
  expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
}

/** How many tasks have not ended. The deadline of a submit that can no longer arrive passes at once. */
async function unfinished(h: Harness): Promise<number> {
  await h.sql`
    update generation.tasks set submitted_at = submitted_at - interval '1 day', next_step_at = now()
    where step = 'submit' and submit_token is not null and submitted_at < now() - interval '20 s'`;
  const [row] = await h.sql<{ count: number }[]>`
    select count(*)::int as count from generation.tasks`;
  return row?.count ?? -1;
}

/**
 * Expects that each task has one job and succeeded, or has none and failed. Returns the accounts of those that failed.
 */
async function auditJobs(h: Harness, jobs: readonly RecordedJob[]): Promise<string[]> {
  const rows = await h.sql<
    { id: string; accountId: string; errorCode: string | null; upstreamId: string | null }[]
  >`select id, account_id, error_code, upstream_id from generation.generations`;
  const jobsOf = Map.groupBy(jobs, ({ token }) => token.split(".")[0]);
  for (const { id, errorCode, upstreamId } of rows) {
    const made = jobsOf.get(id) ?? [];
    const kept = made.filter((job) => !job.isCanceled);
    expect(made.length).toBeLessThanOrEqual(1);
    expect([errorCode, kept.map((job) => job.id)]).toEqual(
      upstreamId === null ? ["upstream_timeout", []] : [null, [upstreamId]],
    );
  }
  const failed = rows.filter((row) => row.upstreamId === null);
  process.stdout.write(`${rows.length} tasks, ${jobs.length} jobs, ${failed.length} failed\n`);
  return failed.map((row) => row.accountId);
}

/** Starts a worker at each call, which resolves when it is ready; `stack` kills them. */
async function workerStarter(
  stack: AsyncDisposableStack,
  h: Harness,
  upstreamUrl: string,
): Promise<() => Promise<Running>> {
  const { path: directory } = stack.use(await temporaryFolder());
  const identities = await openIdentities(directory);
  return async () => {
    const worker = startProcess("test/crash/worker-process.ts", {
      DATABASE_URL: h.urls.generation.url,
      BILLING_DATABASE_URL: h.urls.billing.url,
      NATS_URL: inject("natsUrl"),
      SERVICE_KEY_FILE: identities.keyFile("generation"),
      TRUSTED_KEYS_FILE: identities.trustedFile,
      BILLING_URL: "http://127.0.0.1:1",
      DELIVERY_URL: "http://127.0.0.1:1",
      SIMULATOR_URL: "http://127.0.0.1:1",
      LIVE_PROVIDER: "simulator",
      LOG_LEVEL: "warn",
      UPSTREAM_URL: upstreamUrl,
      // Less than the tasks of an account, so that some wait for slots while workers are killed.
      ACCOUNT_CONCURRENCY: "20",
    });
    stack.defer(async () => void (await worker.end("SIGKILL")));
    await worker.says("ready");
    return worker;
  };
}

type RecordedJob = { id: string; token: string; doneAt: number; isCanceled: boolean };

/** How long the upstream takes to answer a submit. */
const SUBMIT_MS = 60;

/** Jobs take from `minMs` to twice that. Every `dropEvery`th submit is recorded and not answered. */
async function recordingUpstream(minMs: number, dropEvery: number) {
  const jobs: RecordedJob[] = [];
  const byId = new Map<string, RecordedJob>();
  const view = ({ id, doneAt, isCanceled }: RecordedJob) => {
    return { id, isCanceled, done: Date.now() >= doneAt };
  };
  const server = await startHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://upstream");
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const submit = async () => {
      const { token } = (await json(request)) as { token: string };
      const doneAt = Date.now() + minMs * (1 + Math.random());
      const job = { id: randomUUID(), token, doneAt, isCanceled: false };
      jobs.push(job);
      byId.set(job.id, job);
      if (jobs.length % dropEvery === 0) request.socket.destroy();
      else setTimeout(() => answer(201, view(job)), SUBMIT_MS);
    };
    if (request.method === "POST") return void submit();
    const token = searchParams.get("token");
    if (token !== null) {
      return answer(200, jobs.filter((job) => job.token === token).map(view));
    }
    const job = byId.get(pathname.slice(1));
    if (job && request.method === "DELETE") job.isCanceled = true;
    return job ? answer(200, view(job)) : answer(404, null);
  });
  return { url: server.url, jobs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
