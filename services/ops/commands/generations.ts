/** `generations` and `generation …`: how tasks stand, of all accounts, and moving one by hand. */
import type { Client } from "@connectrpc/connect";
import { Command, InvalidArgumentError } from "commander";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { GenerationService, Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Task } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import { jsonOption, parseCount, parseSince } from "../options.ts";
import type { Answer } from "../print.ts";
import { run, runList } from "../session.ts";
import type { Format } from "../session.ts";

type Filter = Format & {
  account?: string;
  status?: Status;
  model?: string;
  since?: Date;
  limit: number;
};

type One = { account?: string; json?: boolean };

const STATUS_NAMES = Object.entries(Status).map(
  ([name, status]) => [name.toLowerCase(), status] as const,
);
const COLUMNS = [
  "created_at",
  "id",
  "account_id",
  "mode",
  "model",
  "status",
  "step",
  "failures",
  "route",
  "next_step_at",
  "error",
];
const ENDED_SINCE_MS = 24 * 60 * 60 * 1000;
const ACCOUNT = "--account <id>";

export function generationsCommand(): Command {
  const generations = new Command("generations")
    .description("list tasks, newest first: the unfinished ones, or those of a status")
    .option(ACCOUNT, "only those of one account")
    .option("--status <status>", "pending, processing, success, failed or canceled", parseStatus)
    .option("--model <id>", "only those of one model")
    .option(
      "--since <time>",
      "created within 30m, 24h, 7d …; ended ones of all accounts: 24h where it is not given",
      parseSince,
    )
    .option("--limit <n>", "at most so many, up to 1000", parseCount, 50)
    .addOption(jsonOption())
    .action(async (options: Filter) => {
      await runList(options, COLUMNS, async ({ client }) => {
        const { account, status, model, since, limit } = options;
        const isWide = status !== undefined && account === undefined;
        const from = since ?? (isWide ? new Date(Date.now() - ENDED_SINCE_MS) : undefined);
        const { tasks } = await client("generation", GenerationService).listTasks({
          limit,
          ...(account === undefined ? {} : { accountId: account }),
          ...(status === undefined ? {} : { status }),
          ...(model === undefined ? {} : { model }),
          ...(from === undefined ? {} : { createdAfter: timestampFromDate(from) }),
        });
        return tasks.map(listed);
      });
    });
  return taskCommand(
    generations.enablePositionalOptions(),
    "show",
    "show one task: its step, failures, route, upstream jobs and times",
    (service, one) => service.getTask(one),
  );
}

export function generationCommand(): Command {
  const generation = new Command("generation").description("move a task by hand");
  taskCommand(generation, "due", "have an unfinished task looked at now", (service, one) =>
    service.makeTaskDue(one),
  );
  return taskCommand(
    generation,
    "fail",
    "end an unfinished task as failed (internal), its Tokens restored",
    (service, one) => service.failTask(one),
  );
}

/** Adds a command on one task, which answers with the task, and returns its parent. */
function taskCommand(
  parent: Command,
  name: string,
  description: string,
  call: (
    service: Client<typeof GenerationService>,
    one: ReturnType<typeof named>,
  ) => Promise<{ task?: Task | undefined }>,
): Command {
  parent
    .command(name)
    .description(description)
    .argument("<id>", "vgen_… or igen_…")
    .option(ACCOUNT, "its account, which makes it quicker to find")
    .addOption(jsonOption())
    .action((id: string, options: One) =>
      run(options.json, async ({ client }) => {
        const service = client("generation", GenerationService);
        return shown((await call(service, named(id, options))).task);
      }),
    );
  return parent;
}

function named(generationId: string, { account }: One) {
  return { generationId, ...(account === undefined ? {} : { accountId: account }) };
}

function listed(task: Task): Answer {
  return {
    created_at: at(task.createdAt),
    id: task.id,
    account_id: task.accountId,
    mode: modeName(task.mode),
    model: task.model,
    status: statusOf(task.status),
    step: task.step,
    failures: task.failures,
    route: task.route,
    next_step_at: at(task.nextStepAt),
    error: task.error?.code ?? null,
  };
}

function shown(task: Task | undefined): Answer {
  if (!task) return {};
  const jobs = task.upstreamJobs.map((job, index) => [
    `upstream_job_${index + 1}`,
    `${job.upstreamId} at ${job.credential}, accepted ${at(job.acceptedAt) ?? "?"}, submit ${job.submitToken}`,
  ]);
  return {
    ...listed(task),
    kind: task.kind === Kind.VIDEO ? "video" : "image",
    ending: task.settling === Status.UNSPECIFIED ? null : statusOf(task.settling),
    error_message: task.error?.message ?? null,
    progress: task.progress,
    tokens: Number(task.tokens),
    upstream_id: task.upstreamId || null,
    submitted_at: at(task.submittedAt),
    started_at: at(task.startedAt),
    deadline_at: at(task.deadlineAt),
    cancel_requested_at: at(task.cancelRequestedAt),
    completed_at: at(task.completedAt),
    lease_until: at(task.leaseUntil),
    waited_seconds: seconds(task.createdAt, task.startedAt),
    took_seconds: seconds(task.startedAt, task.completedAt),
    ...(Object.fromEntries(jobs) as Answer),
  };
}

function at(time: Timestamp | undefined): string | null {
  return time ? timestampDate(time).toISOString() : null;
}

function seconds(from: Timestamp | undefined, to: Timestamp | undefined): number | null {
  if (!from || !to) return null;
  return (timestampDate(to).getTime() - timestampDate(from).getTime()) / 1_000;
}

function statusOf(status: Status): string {
  return STATUS_NAMES.find(([, one]) => one === status)?.[0] ?? "unknown";
}

function parseStatus(text: string): Status {
  const found = STATUS_NAMES.find(([name]) => name === text && name !== "unspecified");
  if (found) return found[1];
  throw new InvalidArgumentError("It must be pending, processing, success, failed or canceled.");
}
