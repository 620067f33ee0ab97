/** A generation as operators see it: its step, upstream, times and failures. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Kind, Status, TaskSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Task } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import { STATUS } from "./generation.ts";
import type { GenerationRow } from "./generation.ts";

/** An upstream job that is known to belong to the generation. */
export type KnownJob = {
  submit_token: string;
  credential: string;
  upstream_id: string;
  created_at: Date;
};

type Times = Partial<Record<`${string}At` | "leaseUntil", Timestamp>>;

export function toTask(row: GenerationRow, jobs: readonly KnownJob[] = []): Task {
  const isDecided = row.settling !== null && row.settling !== row.status;
  return create(TaskSchema, {
    id: row.id,
    accountId: row.account_id,
    mode: modeOf(row.mode),
    kind: row.kind === "video" ? Kind.VIDEO : Kind.IMAGE,
    model: row.model,
    status: row.status === null ? Status.UNSPECIFIED : STATUS[row.status],
    step: row.step,
    failures: row.failures,
    progress: row.progress,
    route: row.provider ?? "",
    upstreamId: row.upstream_id ?? "",
    tokens: row.tokens,
    ...(row.error_code === null
      ? {}
      : { error: { code: row.error_code, message: row.error_message ?? "" } }),
    ...timesOf(row),
    settling: isDecided && row.settling ? STATUS[row.settling] : Status.UNSPECIFIED,
    upstreamJobs: jobs.map((job) => ({
      submitToken: job.submit_token,
      credential: job.credential,
      upstreamId: job.upstream_id,
      acceptedAt: timestampFromDate(job.created_at),
    })),
  });
}

function timesOf(row: GenerationRow): Times {
  const times = {
    createdAt: row.created_at,
    submittedAt: row.submitted_at,
    startedAt: row.started_at,
    deadlineAt: row.deadline_at,
    cancelRequestedAt: row.cancel_requested_at,
    completedAt: row.completed_at,
    nextStepAt: row.next_step_at,
    leaseUntil: row.lease_until,
  };
  const known = Object.entries(times).flatMap(([name, at]) =>
    at === null ? [] : [[name, timestampFromDate(at)] as const],
  );
  return Object.fromEntries(known);
}
