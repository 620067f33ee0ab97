/** `generations` and `generation …`: lists the tasks of all accounts, shows one, and moves one by hand. */
import type { Client } from "@connectrpc/connect";
import { Command, InvalidArgumentError } from "commander";
import { timestampDate, timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import {
  GenerationService,
  Status,
  type Task,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  GENERATION_STATUS_NAMES,
  generationStatusName,
  generationStatusOf,
} from "#vocabulary/generation-status.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import { jsonOption, parseCount, parseSince } from "./options.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run, runList, type Format } from "../session/session.ts";

type Filter = Format & {
  account?: string;
  status?: Status;
  model?: string;
  since?: Date;
  limit: number;
};

type TaskOptions = { account?: string; json?: boolean };
type TaskName = { generationId: string; accountId: string | undefined };

const COLUMNS = [
  "created_at",
  "id",
  "account_id",
  "mode",
  "model",
  "status",
  "step",
  "failures",
  "upstream",
  "next_step_at",
  "error",
];
const DEFAULT_SINCE_MS = 24 * 60 * 60 * 1000;
const ACCOUNT = "--account <id>";

export function generationsCommand(): Command {
  const generations = new Command("generations")
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
    .addOption(jsonOption())
    .action(async (options: Filter) => {
      await runList(options, COLUMNS, async ({ client }) => {
        const { account, status, model, since, limit } = options;
        const isWide = status !== undefined && account === undefined;
        const from = since ?? (isWide ? new Date(Date.now() - DEFAULT_SINCE_MS) : undefined);
        const { tasks } = await client("generation", GenerationService).listTasks({
          accountId: account,
          status: status ?? Status.UNSPECIFIED,
          model: model ?? "",
          limit,
          createdAfter: from && timestampFromDate(from),
        });
        return tasks.map(listRow);
      });
    });
  return taskCommand(
    generations.enablePositionalOptions(),
    "show",
    "show one task: its step, failures, upstream, its jobs and times",
    (service, task) => service.getTask(task),
  );
}

export function generationCommand(): Command {
  const generation = new Command("generation").description("move a task by hand");
  taskCommand(generation, "due", "have an unfinished task looked at now", async (service, one) =>
    service.makeTaskDue(await withAccount(service, one)),
  );
  return taskCommand(
    generation,
    "fail",
    "end an unfinished task as failed (internal), its Tokens restored",
    async (service, task) => service.failTask(await withAccount(service, task)),
  );
}

/** Adds a command that calls an RPC for one task and prints the task; returns `parent`. */
function taskCommand(
  parent: Command,
  name: string,
  description: string,
  call: (
    service: Client<typeof GenerationService>,
    task: TaskName,
  ) => Promise<{ task?: Task | undefined }>,
): Command {
  parent
    .command(name)
    .description(description)
    .argument("<id>", "vgen_… or igen_…")
    .option(ACCOUNT, "its account, which makes the lookup faster")
    .addOption(jsonOption())
    .action((id: string, options: TaskOptions) =>
      run(options.json, async ({ client }) => {
        const service = client("generation", GenerationService);
        const name = { generationId: id, accountId: options.account };
        return detailRow((await call(service, name)).task);
      }),
    );
  return parent;
}

/** What changes a task is recorded in the audit log of its account. */
async function withAccount(
  service: Client<typeof GenerationService>,
  task: TaskName,
): Promise<TaskName> {
  if (task.accountId !== undefined) return task;
  const { task: found } = await service.getTask(task);
  return found ? { ...task, accountId: found.accountId } : task;
}

function listRow(task: Task): OutputRow {
  return {
    created_at: timeOrNull(task.createdAt),
    id: task.id,
    account_id: task.accountId,
    mode: modeName(task.mode),
    model: task.model,
    status: statusOf(task.status),
    step: task.step,
    failures: task.failures,
    upstream: task.upstream,
    next_step_at: timeOrNull(task.nextStepAt),
    error: task.error?.code ?? null,
  };
}

function detailRow(task: Task | undefined): OutputRow {
  if (!task) return {};
  const jobs = task.upstreamJobs.map((job, index) => [
    `upstream_job_${index + 1}`,
    `${job.upstreamId || "(deleted)"} at ${job.credential}, accepted ${timeOrNull(job.acceptedAt) ?? "?"}, submit ${job.submitToken}`,
  ]);
  return {
    ...listRow(task),
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
