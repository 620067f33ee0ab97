/** The steps of a create that has its row: reserve the price, then make the generation visible. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/kind.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { KeptContext } from "#runtime/work-context.ts";
import type { Deps } from "./deps.ts";
import { deletionOfUndone, queueDeadline } from "../domain/deadlines.ts";
import { inputToJson, type GenerationRow } from "../domain/generation.ts";
import { holdOf } from "../domain/hold.ts";
import { storedUrls } from "../domain/input-urls.ts";
import type { Input, Plan, Planned } from "../domain/plan.ts";
import type { NewGeneration } from "../store/creates.ts";
import { unavailable } from "./refusals.ts";

/** A create call works on its row alone for this long; then another call may take it over. */
const CREATE_LEASE_MS = 15_000;
/** A worker undoes a create that is not acknowledged within this time. */
const UNDO_AFTER_MS = 30_000;
export type CreateCall = KeptContext & {
  accountId: string;
  mode: ModeName;
  kind: KindName;
  id: string;
  model: string;
  /** The input as the client gave it, without defaults. */
  given: Input;
  /** Pending until an upstream has it, or shown as processing from its acknowledgement on, which costs no further write. */
  firstStatus: "pending" | "processing";
  replayOnly: boolean;
  /** How many unfinished generations the account may have; 0 means no limit. */
  maxUnfinished: number;
  /** The API key that the client used; null for the playground and internal callers. */
  keyId: string | null;
};

/** Without a price, which cannot be read now, only a replay can be answered. */
export type PlannedCreate = Planned | { kind: "unpriced" };

export type Created = { row: GenerationRow; replayed: boolean };

export function newRow(deps: Deps, call: CreateCall, plan: Plan): NewGeneration {
  const at = deps.clock.now();
  return {
    accountId: call.accountId,
    id: call.id,
    kind: call.kind,
    mode: call.mode,
    model: call.model,
    keyId: call.keyId,
    requestId: call.requestId,
    traceparent: call.traceparent,
    input: inputToJson(plan.input),
    defaulted: plan.defaulted,
    tokens: plan.tokens,
    at,
    leaseUntil: addMs(at, CREATE_LEASE_MS),
    undoAt: addMs(at, UNDO_AFTER_MS),
  };
}

/**
 * Keeps the row's files, reserves its price and makes the generation visible. Undefined if the hold's number is spent or
 * another call or a worker has taken the row. A refusal (INSUFFICIENT_TOKENS, TOKEN_LIMIT_REACHED, TOO_MANY_PENDING,
 * FILE_NOT_FOUND, STORAGE_LIMIT_REACHED) is passed on; any other failure is UNAVAILABLE, and a worker releases what may have been held.
 */
export async function reserveAndAcknowledge(
  deps: Deps,
  call: CreateCall,
  row: GenerationRow,
): Promise<GenerationRow | undefined> {
  const { end_user: endUser } = row.input;
  const request = {
    hold: holdOf(row),
    tokens: row.tokens,
    maxOpenHolds: call.maxUnfinished,
    keyId: row.keyId ?? "",
    endUser: typeof endUser === "string" ? endUser : "",
  };
  const urls = storedUrls(row);
  try {
    if (urls.length > 0) await deps.delivery.useFiles({ ...holdOf(row), urls });
    await deps.billing.reserve(request);
  } catch (error) {
    return undoAfter(deps, row, error);
  }
  const queueUntil = queueDeadline(row, deps.catalog.deadlines(row.kind, row.model));
  const queued = { step: "queue", nextStepAt: queueUntil } as const;
  const acknowledged =
    call.firstStatus === "processing"
      ? await deps.acknowledgeImage(row, {
          ...queued,
          status: "processing",
          startedAt: deps.clock.now(),
        })
      : await deps.writes.acknowledge(row, { ...queued, status: "pending", startedAt: null });
  if (acknowledged) {
    if (acknowledged.step === "queue") deps.wake();
    deps.signalCreated(row);
  }
  return acknowledged;
}

/** Undefined if the hold's number is spent, so that the create can go on with the next one. */
async function undoAfter(deps: Deps, row: GenerationRow, error: unknown): Promise<undefined> {
  // Certainly nothing is held but files, which their account may want to delete now.
  const releaseAt = storedUrls(row).length > 0 ? deps.clock.now() : deletionOfUndone(row);
  switch (reasonOf(error)) {
    case ErrorReason.HOLD_RESOLVED:
      await voidCreate(deps, row, releaseAt);
      return undefined;
    case ErrorReason.INSUFFICIENT_TOKENS:
    case ErrorReason.TOKEN_LIMIT_REACHED:
    case ErrorReason.TOO_MANY_PENDING:
    case ErrorReason.FILE_NOT_FOUND:
    case ErrorReason.STORAGE_LIMIT_REACHED:
      await voidCreate(deps, row, releaseAt);
      throw error;
    default:
      await voidCreate(deps, row, deps.clock.now());
      deps.log.warn({ err: error, generation_id: row.id }, "reserve failed; the create is undone");
      throw unavailable();
  }
}

/**
 * Undoes the create: its hold's attempt number is not used again. A worker releases hold and files at `releaseAt`, which
 * can be late where there certainly are none. Does nothing if another call or a worker has the row.
 */
export async function voidCreate(deps: Deps, row: GenerationRow, releaseAt: Date): Promise<void> {
  await deps.writes.update(row, { step: "void", leaseUntil: null, nextStepAt: releaseAt });
}
