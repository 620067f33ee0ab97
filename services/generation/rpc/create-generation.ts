/** What CreateVideo and CreateImage share: row first, then the hold, then the acknowledgement. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { generationCreated } from "#runtime/events/events.ts";
import { refusal, reasonOf } from "#runtime/rpc/errors.ts";
import type { ModeName } from "#runtime/mode.ts";
import { create } from "@bufbuild/protobuf";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { modelFor } from "../catalog/model-for.ts";
import type { Deps } from "../deps.ts";
import { queueDeadline } from "../domain/deadlines.ts";
import { inputToJson } from "../domain/generation.ts";
import type { GenerationRow, KindName } from "../domain/generation.ts";
import { holdOf } from "../domain/hold.ts";
import { planGeneration } from "../domain/plan.ts";
import type { Input, Planned } from "../domain/plan.ts";
import { differingField } from "../domain/same-request.ts";
import * as generations from "../store/generations.ts";

/** A live create call has this long before another call, or a worker, may take its row. */
const CREATE_LEASE_MS = 15_000;
/** A create that was never acknowledged is undone by a worker after this. */
const UNDO_AFTER_MS = 30_000;
const RESERVE_TIMEOUT_MS = 5_000;
const LOOK_AGAIN_MS = 25;
const WAIT_FOR_OTHER_MS = 20_000;

export type CreateCall = {
  accountId: string;
  mode: ModeName;
  kind: KindName;
  id: string;
  model: string;
  given: Input;
  replayOnly: boolean;
  /** 0 means no limit. */
  maxUnfinished: number;
};

export type Created = { row: GenerationRow; replayed: boolean };

/** The acknowledged generation of this id: created now, or found. Refusals are those of generation.proto. */
export async function createGeneration(deps: Deps, call: CreateCall): Promise<Created> {
  const { faults, plan } = { plan: undefined, ...(await planned(deps, call)) };
  const giveUpAt = addMs(deps.clock.now(), WAIT_FOR_OTHER_MS);
  if (plan && !call.replayOnly) {
    const fresh = await generations.insertGeneration(deps.sql, newRow(deps, call, plan));
    const acknowledged = fresh && (await reserve(deps, call, fresh));
    if (acknowledged) return { row: acknowledged, replayed: false };
  }
  for (;;) {
    const existing = await generations.findGeneration(deps.sql, call.accountId, call.id);
    if (existing?.status) return replay(deps, call, existing);
    const other = existing && isCreating(existing, deps.clock.now());
    if (!other) {
      if (call.replayOnly) throw notFound(call.id);
      const [first, ...more] = faults;
      if (first) throw refusal(first, ...more);
      if (!plan) throw unavailable();
      const row = existing
        ? await retake(deps, call, existing, newRow(deps, call, plan))
        : await generations.insertGeneration(deps.sql, newRow(deps, call, plan));
      const acknowledged = row && (await reserve(deps, call, row));
      if (acknowledged) return { row: acknowledged, replayed: false };
    }
    if (deps.clock.now() >= giveUpAt) throw unavailable();
    if (other) await deps.clock.sleep(LOOK_AGAIN_MS);
  }
}

/** Neither a plan nor a fault where the price is not to be had now: only a replay can be answered then. */
async function planned(deps: Deps, call: CreateCall): Promise<Planned | { faults: [] }> {
  const discounts = await deps.discounts(call.accountId).catch((error: unknown) => {
    deps.log.warn({ err: error, account_id: call.accountId }, "discounts are not to be had");
    return undefined;
  });
  if (!discounts) return { faults: [] };
  const model = modelFor(deps.catalog, deps.upstreams, call.mode, discounts, call.model);
  return planGeneration(call.model, model, call.given);
}

function replay(deps: Deps, call: CreateCall, row: GenerationRow): Created {
  const model = deps.catalog.find(row.model);
  const field =
    row.mode === call.mode && row.kind === call.kind
      ? differingField(row, call.model, model, call.given)
      : "model";
  if (field !== undefined) {
    throw refusal({
      reason: ErrorReason.CONTENT_DIFFERS,
      field,
      message: `this key was used before with another ${field}; use a new key for a new request`,
    });
  }
  return { row, replayed: true };
}

/** Whether another call works on this create right now. */
function isCreating(row: GenerationRow, now: Date): boolean {
  return row.step === "reserve" && row.lease_until !== null && row.lease_until > now;
}

/** Makes a row that an earlier call left behind ours: the same create goes on, another one takes its place. */
async function retake(
  deps: Deps,
  call: CreateCall,
  existing: GenerationRow,
  fresh: generations.NewGeneration,
): Promise<GenerationRow | undefined> {
  if (existing.step === "reserve") {
    const { leaseUntil, undoAt, at } = fresh;
    const model = deps.catalog.find(existing.model);
    const taken = await generations.takeOverGenerationIfAbandoned(
      deps.sql,
      existing,
      at,
      leaseUntil,
      undoAt,
    );
    if (!taken) return undefined;
    if (differingField(taken, call.model, model, call.given) === undefined) return taken;
    await generations.voidGenerationIfReserving(deps.sql, taken, at);
    return undefined;
  }
  await deps.billing.release({ hold: holdOf(existing) }, { timeoutMs: RESERVE_TIMEOUT_MS });
  return generations.reuseGenerationIfVoid(deps.sql, fresh, existing.attempt);
}

/** Reserves the row's price and makes it visible; undefined where another call or a worker has the row by now. */
async function reserve(
  deps: Deps,
  call: CreateCall,
  row: GenerationRow,
): Promise<GenerationRow | undefined> {
  try {
    const hold = holdOf(row);
    const request = { hold, tokens: row.tokens, maxOpenHolds: call.maxUnfinished };
    await deps.billing.reserve(request, { timeoutMs: RESERVE_TIMEOUT_MS });
  } catch (error) {
    const reason = reasonOf(error);
    const now = deps.clock.now();
    if (reason === ErrorReason.HOLD_RESOLVED) {
      await generations.voidGenerationIfReserving(deps.sql, row, null);
      return undefined;
    }
    const isRefused =
      reason === ErrorReason.INSUFFICIENT_TOKENS || reason === ErrorReason.TOO_MANY_PENDING;
    const releaseAt = isRefused ? null : now;
    await generations.voidGenerationIfReserving(deps.sql, row, releaseAt);
    if (isRefused) throw error;
    deps.log.warn({ err: error, generation_id: row.id }, "reserve failed; the create is undone");
    throw unavailable();
  }
  const acknowledged = await generations.acknowledgeGenerationIfHeld(
    deps.sql,
    row,
    deps.clock.now(),
    queueDeadline(row, deps.catalog.deadlines(row.kind, row.model)),
  );
  if (acknowledged) {
    deps.wake();
    const event = { accountId: row.account_id, generationId: row.id };
    deps.bus.publish(generationCreated, create(GenerationCreatedSchema, event));
  }
  return acknowledged;
}

function newRow(
  deps: Deps,
  call: CreateCall,
  plan: { input: Input; defaulted: string[]; tokens: bigint },
): generations.NewGeneration {
  const at = deps.clock.now();
  return {
    accountId: call.accountId,
    id: call.id,
    kind: call.kind,
    mode: call.mode,
    model: call.model,
    input: inputToJson(plan.input),
    defaulted: plan.defaulted,
    tokens: plan.tokens,
    at,
    leaseUntil: addMs(at, CREATE_LEASE_MS),
    undoAt: addMs(at, UNDO_AFTER_MS),
  };
}

export function notFound(id: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "generation_id",
    message: `there is no generation "${id}"`,
  });
}

export function unavailable(): Error {
  return refusal({
    reason: ErrorReason.UNAVAILABLE,
    message: "the request could not be carried out now; nothing was charged, try again",
  });
}
