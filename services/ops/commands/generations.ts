/** `generations` and `generation …`: lists the tasks of all accounts, shows one, and moves one by hand. */
import { InvalidArgumentError } from "commander";
import { timestampDate, timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Status, type Task } from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  GENERATION_STATUS_NAMES,
  generationStatusName,
  generationStatusOf,
} from "#vocabulary/generation-status.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import { OpsCommand } from "./ops-command.ts";
import { parseCount, parseSince } from "./options.ts";
import { rowOf, timeOrNull, type Fields, type OutputRow } from "../session/print.ts";
import type { Session } from "../session/session.ts";

type Account = { account?: string };
type Filter = Account & { status?: Status; model?: string; since?: Date; limit: number };
type TaskName = { generationId: string; accountId: string | undefined };

const LISTED: Fields<Task> = {
  created_at: ({ createdAt }) => timeOrNull(createdAt),
  id: ({ id }) => id,
  account_id: ({ accountId }) => accountId,
  mode: ({ mode }) => modeName(mode),
  model: ({ model }) => model,
  status: ({ status }) => statusOf(status),
  step: ({ step }) => step,
  failures: ({ failures }) => failures,
  upstream: ({ upstream }) => upstream,
  next_step_at: ({ nextStepAt }) => timeOrNull(nextStepAt),
  error: ({ error }) => error?.code ?? null,
};
const DEFAULT_SINCE_MS = 24 * 60 * 60 * 1000;
const ACCOUNT = "--account <id>";

export function generationsCommand(): OpsCommand {
  const generations = new OpsCommand("generations")
    .description("list tasks, newest first: the unfinished ones, or those of a status")
    .option(ACCOUNT, "only tasks of one account")
    .option("--status <status>", "pending, processing, success, failed or canceled", parseStatus)
    .option("--model <id>", "only tasks of one model")
    .option(
      "--since <time>",
      "created within 30m, 24h, 7d …; default 24h for ended tasks of all accounts",
      parseSince,
    )
    .option("--limit <n>", "how many at most, up to 1000", parseCount, 50)
    .printsRows(LISTED, async ({ generation }, options: Filter) => {
      const { account: accountId, status, model, since, limit } = options;
      const isWide = status !== undefined && accountId === undefined;
      const from = since ?? (isWide ? new Date(Date.now() - DEFAULT_SINCE_MS) : undefined);
      const { tasks } = await generation.listTasks({
        accountId,
        status: status ?? Status.UNSPECIFIED,
        model,
        limit,
        createdAfter: from && timestampFromDate(from),
      });
      return tasks;
    });
  return taskCommand(
    generations.enablePositionalOptions(),
    "show",
    "show one task: its step, failures, upstream, its jobs and times",
    ({ generation }, task) => generation.getTask(task),
  );
}

export function generationCommand(): OpsCommand {
  const parent = new OpsCommand("generation").description("move a task by hand");
  taskCommand(
    parent,
    "due",
    "have an unfinished task looked at now",
    async ({ generation }, task) => generation.makeTaskDue(await withAccount(generation, task)),
  );
  return taskCommand(
    parent,
    "fail",
    "end an unfinished task as failed (internal), its Tokens restored",
    async ({ generation }, task) => generation.failTask(await withAccount(generation, task)),
  );
}

/** Adds a command that calls an RPC for one task and prints the task; returns `parent`. */
function taskCommand(
  parent: OpsCommand,
  name: string,
  description: string,
  call: (session: Session, task: TaskName) => Promise<{ task?: Task | undefined }>,
): OpsCommand {
  parent
    .command(name)
    .description(description)
    .argument("<id>", "vgen_… or igen_…")
    .option(ACCOUNT, "its account, which makes the lookup faster")
    .printsRow(async (session, { account: accountId }: Account, generationId) =>
      detailRow((await call(session, { generationId, accountId })).task),
    );
  return parent;
}

/** What changes a task is recorded in the audit log of its account. */
async function withAccount(generation: Session["generation"], task: TaskName): Promise<TaskName> {
  if (task.accountId !== undefined) return task;
  const { task: found } = await generation.getTask(task);
  return found ? { ...task, accountId: found.accountId } : task;
}

function detailRow(task: Task | undefined): OutputRow {
  if (!task) return {};
  const jobs = task.upstreamJobs.map((job, index) => [
    `upstream_job_${index + 1}`,
    `${job.upstreamId || "(deleted)"} at ${job.credential}, accepted ${timeOrNull(job.acceptedAt) ?? "?"}, submit ${job.submitToken}`,
  ]);
  return {
    ...rowOf(LISTED, task),
    kind: kindName(task.kind),
    ending: task.settling === Status.UNSPECIFIED ? null : statusOf(task.settling),
    error_message: task.error?.message ?? null,
    progress: task.progress,
    tokens: Number(task.tokens),
    submit_token: task.submitToken || null,
    upstream_id: task.upstreamId || null,
    submitted_at: timeOrNull(task.submittedAt),
    started_at: timeOrNull(task.startedAt),
    deadline_at: timeOrNull(task.deadlineAt),
    cancel_requested_at: timeOrNull(task.cancelRequestedAt),
    completed_at: timeOrNull(task.completedAt),
    lease_until: timeOrNull(task.leaseUntil),
    waited_seconds: seconds(task.createdAt, task.startedAt),
    took_seconds: seconds(task.startedAt, task.completedAt),
    ...(Object.fromEntries(jobs) as OutputRow),
  };
}

function seconds(from: Timestamp | undefined, to: Timestamp | undefined): number | null {
  if (!from || !to) return null;
  return (timestampDate(to).getTime() - timestampDate(from).getTime()) / 1_000;
}

function statusOf(status: Status): string {
  return generationStatusName(status) ?? "unknown";
}

function parseStatus(text: string): Status {
  const name = GENERATION_STATUS_NAMES.find((one) => one === text);
  if (name) return generationStatusOf(name);
  throw new InvalidArgumentError("It must be pending, processing, success, failed or canceled.");
}
