/** A generation as operators see it: its step, upstream, times and failures. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Status, TaskSchema, type Task } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusOf, kindOf, modeOf } from "#vocabulary/names.ts";
import type { GenerationRow } from "./generation.ts";

type Times = Partial<Record<`${string}At` | "leaseUntil", Timestamp>>;

export function toTask(row: GenerationRow): Task {
  const isDecided = row.settling !== null && row.settling !== row.status;
  return create(TaskSchema, {
    id: row.id,
    accountId: row.accountId,
    mode: modeOf(row.mode),
    kind: kindOf(row.kind),
    model: row.model,
    status: generationStatusOf(row.status),
    step: row.step,
    failures: row.failures,
    lastError: row.lastError ?? "",
    progress: row.progress,
    upstream: row.upstream ?? "",
    submitToken: row.submitToken ?? "",
    upstreamId: row.upstreamId ?? "",
    tokens: row.tokens,
    ...(row.errorCode === null
      ? {}
      : { error: { code: row.errorCode, message: row.errorMessage ?? "" } }),
    ...timesOf(row),
    settling: isDecided && row.settling ? generationStatusOf(row.settling) : Status.UNSPECIFIED,
  });
}

function timesOf(row: GenerationRow): Times {
  const times = {
    createdAt: row.createdAt,
    submittedAt: row.submittedAt,
    startedAt: row.startedAt,
    deadlineAt: row.deadlineAt,
    cancelRequestedAt: row.cancelRequestedAt,
    completedAt: row.completedAt,
    deletedAt: row.deletedAt,
    nextStepAt: row.nextStepAt,
    leaseUntil: row.leaseUntil,
  };
  const known = Object.entries(times).flatMap(([name, at]) =>
    at === null ? [] : [[name, timestampFromDate(at)] as const],
  );
  return Object.fromEntries(known);
}
