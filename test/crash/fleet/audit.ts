/** What an audit of a fleet compares after a fire: what customers were told, what the rows say, and what upstreams and receivers saw. */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { Webhook } from "standardwebhooks";
import { request } from "undici";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { derivedId } from "#runtime/id.ts";
import { createS3Store } from "../../../services/delivery/storage/s3.ts";
import type { Chaos } from "./chaos.ts";
import type { FleetCustomer } from "./customers.ts";
import type { FireFleet } from "./fire-fleet.ts";
import type { Order } from "./orders.ts";
import type { Call, Receivers } from "./receivers.ts";

type Row = {
  id: string;
  account_id: string;
  mode: string;
  kind: "video" | "image";
  status: string;
  step: string;
  tokens: bigint;
  error_code: string | null;
  error_message: string | null;
  upstream_id: string | null;
  output: { key: string; thumbnailKey?: string; bytes: string }[];
};

type Evidence = Awaited<ReturnType<typeof readEvidence>>;

/** A check returns what is wrong, in sentences. */
type Check = (evidence: Evidence) => Promise<string[]> | string[];

export async function readEvidence(
  { fleet, upstream, query }: FireFleet,
  customers: readonly FleetCustomer[],
  receivers: Receivers,
  placed: readonly Order[],
  chaos: Chaos,
) {
  const found = await query(
    (sql) => sql<Row[]>`
      select g.id, g.account_id, g.mode, g.kind, g.status, coalesce(t.step, 'done') as step, g.tokens, g.error_code,
        g.error_message, g.upstream_id, g.output
      from generation.generations g left join generation.tasks t on t.account_id = g.account_id and t.id = g.id`,
  );
  /** Both by the id of their generation. */
  const orders: ReadonlyMap<string, Order> = new Map(placed.map((order) => [idOf(order), order]));
  const rows: ReadonlyMap<string, Row> = new Map(found.map((row) => [row.id, row]));
  return { fleet, upstream, query, customers, receivers, orders, rows, ...chaos };
}

/** The id that the service derives from an order's idempotency key. */
function idOf({ kind, accountId, mode, key }: Order): string {
  const [prefix, operation] =
    kind === "video"
      ? (["vgen", "createVideoGeneration"] as const)
      : (["igen", "createImageGeneration"] as const);
  return derivedId(prefix, [accountId, mode, operation, key]);
}

/** Every acknowledged create has ended as it should, once, under one id. */
const checkEnds: Check = ({ orders, rows }) => {
  const wrong: string[] = [];
  for (const [id, order] of orders) {
    const row = rows.get(id);
    if (order.isAcknowledged && !row) wrong.push(`${id} was acknowledged and has no row`);
    if (!order.isAcknowledged && !order.isAbandoned) wrong.push(`${order.key} was never answered`);
    if (row) wrong.push(...endFaults(order, row));
    const others = [...order.ids].filter((one) => one !== id);
    if (others.length > 0)
      wrong.push(`${order.key} is ${id} and was answered with ${others.join()}`);
  }
  for (const id of rows.keys()) if (!orders.has(id)) wrong.push(`nobody ordered ${id}`);
  return wrong;
};

function endFaults(order: Order, row: Row): string[] {
  const { id, status, step, error_code: code, error_message: message } = row;
  if (step !== "done") return [`${id} is in step ${step}, status ${status}`];
  const isStopped =
    (order.stoppedBy === "customer" && status === "canceled") ||
    (order.stoppedBy === "operator" && status === "failed" && code === "internal");
  if (isStopped) return [];
  // An image whose worker died within the call fails, and its Tokens are restored.
  const isInterrupted = order.kind === "image" && status === "failed" && code === "internal";
  const isWanted =
    order.wanted === "failed"
      ? status === "failed" && code === "content_rejected"
      : status === "success";
  return isWanted || isInterrupted ? [] : [`${id} ended ${status}: ${code} ${message}`];
}

/** The ledger adds up: nothing is reserved, each success is charged once and nothing else is. */
const checkLedger: Check = async ({ fleet, query, customers, rows }) => {
  const wrong: string[] = [];
  using operator = fleet.operator();
  const { billing } = operator;
  for (const { accountId } of customers) {
    for (const mode of [Mode.LIVE, Mode.TEST]) {
      const { differences } = await billing.auditAccount({ accountId, mode });
      for (const { what, expected, found } of differences) {
        wrong.push(`${accountId}: ${what} is ${found}, not ${expected}`);
      }
      const { balance } = await billing.getBalance({ accountId, mode });
      if (balance?.reserved !== 0n) wrong.push(`${accountId} has ${balance?.reserved} reserved`);
    }
  }
  const captured = await query(
    (sql) => sql<{ generation_id: string; captures: number; tokens: bigint }[]>`
      select generation_id, count(*)::int as captures, sum(spent_change)::bigint as tokens
      from billing.entries where type = 'capture' group by generation_id`,
  );
  const byId = new Map(captured.map((one) => [one.generation_id, one]));
  for (const { id, status, tokens } of rows.values()) {
    const { captures = 0, tokens: charged = 0n } = byId.get(id) ?? {};
    const due = status === "success" ? 1 : 0;
    if (captures !== due) wrong.push(`${id} ended ${status} and was charged ${captures} times`);
    else if (due === 1 && BigInt(charged) !== BigInt(tokens)) {
      wrong.push(`${id} costs ${tokens} and was charged ${charged}`);
    }
  }
  return wrong;
};

/** Every task has one upstream job, and its row knows it. */
const checkUpstreamJobs: Check = async ({ query, upstream, rows, orders }) => {
  const wrong: string[] = [];
  const jobs = new Map<string, Set<string>>();
  for (const { token, id } of upstream.submits) {
    const [taskId = ""] = token.split(".");
    jobs.set(taskId, (jobs.get(taskId) ?? new Set()).add(id));
  }
  const known = await query(
    (sql) => sql<{ upstream_id: string }[]>`
      select upstream_id from generation.generations union select upstream_id from generation.tasks`,
  );
  const recorded = new Set(known.map(({ upstream_id: id }) => id));
  for (const [taskId, ids] of jobs) {
    const row = rows.get(taskId);
    if (ids.size > 1) wrong.push(`${taskId} has ${ids.size} upstream jobs`);
    if (!row) wrong.push(`an upstream job was made for ${taskId}, which does not exist`);
    const [id = ""] = ids;
    // A task that was stopped between a submit and its answer need not know the job.
    const isStopped = orders.get(taskId)?.stoppedBy !== undefined;
    if (row?.kind === "video" && !isStopped && !recorded.has(id))
      wrong.push(`the upstream job of ${taskId} is not recorded`);
  }
  for (const { id, kind, status, upstream_id: upstreamId } of rows.values()) {
    if (status !== "success") continue;
    const made = jobs.get(id);
    if (!made) wrong.push(`${id} succeeded without an upstream job`);
    else if (kind === "video" && !made.has(upstreamId ?? "")) {
      wrong.push(`${id} was made from a job that is not its own`);
    }
  }
  return wrong;
};

/** Every end with a webhook was delivered, signed, under one id. */
const checkWebhooks: Check = async (evidence) => {
  const { orders, rows, receivers } = evidence;
  const wrong: string[] = [];
  const callsOf = new Map<string, Call[]>();
  for (const call of [...receivers.calls.values()].flat()) {
    const { data } = JSON.parse(call.body.toString()) as { data: { id: string } };
    callsOf.set(data.id, [...(callsOf.get(data.id) ?? []), call]);
  }
  for (const [id, calls] of callsOf) {
    const order = orders.get(id);
    if (order?.webhookUrl === undefined) {
      wrong.push(`${id} has no webhook and was delivered`);
      continue;
    }
    const ids = new Set(calls.map(({ headers }) => headers["webhook-id"]));
    if (ids.size > 1) wrong.push(`the end of ${id} was delivered under ${ids.size} webhook ids`);
    const bodies = new Set(calls.map(({ body }) => body.toString()));
    if (bodies.size > 1) wrong.push(`the end of ${id} was delivered with ${bodies.size} bodies`);
    for (const call of calls) wrong.push(...callFaults(evidence, id, call));
  }
  for (const [id, { webhookUrl }] of orders) {
    if (webhookUrl === undefined || !rows.get(id)?.status) continue;
    const isDelivered = callsOf.get(id)?.some(({ status }) => status < 300);
    if (!isDelivered) wrong.push(`the end of ${id} was not delivered`);
  }
  return wrong;
};

function callFaults(
  { customers, orders, rows }: Evidence,
  id: string,
  { headers, body }: Call,
): string[] {
  const order = orders.get(id);
  const customer = customers.find(({ accountId }) => accountId === order?.accountId);
  if (!order || !customer) return [`nobody ordered ${id}, which was delivered`];
  try {
    const secret = customer.webhookSecrets[order.mode];
    // Not by verifyWebhook, which refuses what is old by now.
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    const expected = new Webhook(secret).sign(String(headers["webhook-id"]), at, body.toString());
    if (!String(headers["webhook-signature"]).split(" ").includes(expected))
      return [`the webhook of ${id} has a wrong signature`];
    const { status } = (JSON.parse(body.toString()) as { data: { status: string } }).data;
    if (status === rows.get(id)?.status) return [];
    return [`${id} ended ${rows.get(id)?.status} and was delivered as ${status}`];
  } catch (error) {
    return [`the webhook of ${id}: ${(error as Error).message}`];
  }
}

const CONCURRENCY = 8;
const MAX_TRIES = 10;
const RETRY_MS = 1_000;

/** Every success has its file, whole; no file is there without a success. */
const checkOutputs: Check = async (evidence) => {
  const successes = [...evidence.rows.values()].filter(({ status }) => status === "success");
  const hashes = { video: new Set<string>(), image: new Set<string>() };
  const wrong: string[] = [];
  const fetchOne = async (row: Row) => {
    const found = await fetchOutput(evidence, row);
    if ("hash" in found) hashes[row.kind].add(found.hash);
    else wrong.push(found.fault);
  };
  await pLimit(CONCURRENCY).map(successes, fetchOne);
  // All videos have the same length and size, and all images; the upstream makes the same file for each.
  for (const [kind, { size }] of Object.entries(hashes))
    if (size > 1) wrong.push(`${size} different ${kind}s`);
  return [...wrong, ...(await filesWithoutSuccess(evidence))];
};

async function fetchOutput(
  { fleet }: Evidence,
  { id, output }: Row,
): Promise<{ hash: string } | { fault: string }> {
  const [file] = output;
  if (!file) return { fault: `${id} succeeded without a file` };
  const { statusCode, content } = await download(`${fleet.url}/assets/${file.key}`);
  if (statusCode !== 200) return { fault: `the file of ${id} is answered with ${statusCode}` };
  if (content.byteLength !== Number(file.bytes)) {
    return { fault: `the file of ${id} has ${content.byteLength} bytes, not ${file.bytes}` };
  }
  return { hash: createHash("sha256").update(withoutTimes(content)).digest("hex") };
}

/** The boxes of an MP4 that say when the file was made: each simulator renders its own. */
const TIMED_BOXES = ["mvhd", "tkhd", "mdhd"];

function withoutTimes(content: Buffer): Buffer {
  for (const name of TIMED_BOXES) {
    const at = content.indexOf(name);
    // After the name come version and flags, then the times when it was made and changed.
    if (at !== -1) content.fill(0, at + 8, at + 16);
  }
  return content;
}

/** Repeated while the service is unavailable, as by any client. */
async function download(url: string): Promise<{ statusCode: number; content: Buffer }> {
  for (let tries = 1; ; tries++) {
    const { statusCode, body } = await request(url);
    const content = Buffer.from(await body.arrayBuffer());
    if (statusCode < 500 || tries === MAX_TRIES) return { statusCode, content };
    await systemClock.sleep(RETRY_MS);
  }
}

/** The daily sweep deletes what a copy put that was paused until its output was deleted, and was killed then. */
const MAX_LATE = 3;
/** It also deletes what was put under a reservation that a kill of Postgres took back. S3 gives whole seconds. */
const KILL_MS = { before: 1_000, after: 10_000 };

async function filesWithoutSuccess(evidence: Evidence): Promise<string[]> {
  const { fleet, query, rows, happened } = evidence;
  const kills = happened.filter(({ kind }) => kind === "kill-postgres");
  const isBesideKill = (at: number) =>
    kills.some(({ from, until }) => from - KILL_MS.before < at && at < until + KILL_MS.after);
  const assets = await query(
    (sql) => sql<{ owner_id: string; token: string; is_kept: boolean; is_deleted: boolean }[]>`
      select owner_id, token, stored_at is not null and delete_at is null as is_kept,
        deleted_at is not null as is_deleted
      from delivery.assets`,
  );
  const wrong: string[] = [];
  for (const { owner_id: id, is_kept: isKept } of assets) {
    const { status } = rows.get(id) ?? {};
    if (isKept && status !== "success") wrong.push(`a file is kept for ${id}, which ${status}`);
  }
  // A discarded file belongs to its generation until it is deleted: minutes later, if storage was full or a replica lost.
  const deleted = new Map(assets.map(({ token, is_deleted: isDeleted }) => [token, isDeleted]));
  const late: string[] = [];
  using store = createS3Store(fleet.s3.config);
  for await (const { key, storedAt } of store.list()) {
    const isDeleted = deleted.get(key.split(".", 1)[0] ?? "");
    if (isDeleted === undefined && !isBesideKill(storedAt.getTime()))
      wrong.push(`object ${key} belongs to nothing`);
    if (isDeleted) late.push(key);
  }
  if (late.length > MAX_LATE) wrong.push(`objects of deleted outputs are there: ${late.join()}`);
  return wrong;
}

/** No process ended unless it was killed or stopped. */
const checkProcesses: Check = ({ crashes }) =>
  crashes.map(({ name, lastWords }) => `${name} ended unasked: ${lastWords}`);

const CHECKS: readonly Check[] = [
  checkEnds,
  checkLedger,
  checkUpstreamJobs,
  checkWebhooks,
  checkOutputs,
  checkProcesses,
];

/** What is wrong, in sentences. */
export async function audit(evidence: Evidence): Promise<string[]> {
  const found = await Promise.all(CHECKS.map(async (check) => check(evidence)));
  return found.flat();
}

const CHECK_EVERY_MS = 500;

/** The milliseconds it took; at most `maxMs`, then the audit finds what is left. */
export async function waitUntilQuiet({ query }: FireFleet, maxMs: number): Promise<number> {
  const beganAt = Date.now();
  for (;;) {
    const [found] = await query(
      (sql) => sql<{ left: number }[]>`
        select (select count(*) from generation.tasks)::int
          + (select count(*) from billing.holds where state = 'held')::int
          + (select count(*) from delivery.webhook_deliveries where status = 'pending')::int as left`,
    );
    const waitedMs = Date.now() - beganAt;
    if (waitedMs > maxMs || found?.left === 0) return waitedMs;
    await systemClock.sleep(CHECK_EVERY_MS);
  }
}
