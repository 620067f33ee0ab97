/** The path of a create whose id has a row already: replay it, wait for it, take it over, or reuse it. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { Plan } from "../domain/plan.ts";
import { differingField } from "../domain/same-request.ts";
import { releaseHeld } from "../holds/release-held.ts";
import {
  reuseCreateIfVoid,
  takeOverCreateIfAbandoned,
  type NewGeneration,
} from "../store/creates.ts";
import {
  newRow,
  reserveAndAcknowledge,
  voidCreate,
  type CreateCall,
  type Created,
  type PlannedCreate,
} from "./acknowledge-create.ts";
import { deleted, notFound, unavailable } from "./refusals.ts";

const READ_AGAIN_MS = 25;

/** `busy`: another call works on the row. `lost`: another call or a worker was faster. Both can be tried again. */
type Attempt = Created | "busy" | "lost";

/** Tries until there is an answer, or until `giveUpAt`: then it refuses with UNAVAILABLE. */
export async function resumeExisting(
  deps: Deps,
  call: CreateCall,
  planned: PlannedCreate,
  giveUpAt: Date,
): Promise<Created> {
  let attempt = await tryExisting(deps, call, planned);
  while (typeof attempt === "string") {
    if (deps.clock.now() >= giveUpAt) throw unavailable();
    if (attempt === "busy") await deps.clock.sleep(READ_AGAIN_MS);
    attempt = await tryExisting(deps, call, planned);
  }
  return attempt;
}

async function tryExisting(deps: Deps, call: CreateCall, planned: PlannedCreate): Promise<Attempt> {
  const existing = await deps.find(call.accountId, call.id);
  if (existing?.status) return replay(deps, call, existing);
  if (existing && hasCallAtWork(existing, deps.clock.now())) return "busy";
  const plan = planOrRefuse(call, planned);
  const row = existing
    ? await claimUnacknowledged(deps, call, existing, plan)
    : await deps.writes.insert(newRow(deps, call, plan));
  const acknowledged = row && (await reserveAndAcknowledge(deps, call, row));
  return acknowledged ? { row: acknowledged, replayed: false } : "lost";
}

/**
 * Answers with the acknowledged generation, or refuses with CONTENT_DIFFERS, or with GENERATION_DELETED: what a deleted
 * one was made from is gone, so that no request can be told from the first.
 */
function replay(deps: Deps, call: CreateCall, row: GenerationRow): Created {
  if (row.deletedAt) throw deleted();
  // There is nothing left to compare with, and an accepted create must never be made and charged again.
  if (row.erasedAt) return { row, replayed: true };
  const isSameKind = row.mode === call.mode && row.kind === call.kind;
  const field = isSameKind ? fieldThatDiffers(deps, call, row) : "model";
  if (field === undefined) return { row, replayed: true };
  throw refusal({
    reason: ErrorReason.CONTENT_DIFFERS,
    field,
    message: `This key was used before with another ${field}. Use a new key for a new request.`,
  });
}

function fieldThatDiffers(deps: Deps, call: CreateCall, row: GenerationRow): string | undefined {
  return differingField(row, call.model, deps.catalog.find(row.model), call.given);
}

function hasCallAtWork(row: GenerationRow, now: Date): boolean {
  return row.step === "reserve" && row.leaseUntil !== null && row.leaseUntil > now;
}

function planOrRefuse(call: CreateCall, planned: PlannedCreate): Plan {
  if (call.replayOnly) throw notFound(call.id);
  switch (planned.kind) {
    case "refused":
      throw refusal(...planned.faults);
    case "unpriced":
      throw unavailable();
    case "planned":
      return planned.plan;
  }
}

/** Takes over an abandoned create, or reuses the row of an undone one; undefined if something else was faster. */
async function claimUnacknowledged(
  deps: Deps,
  call: CreateCall,
  existing: GenerationRow,
  plan: Plan,
): Promise<GenerationRow | undefined> {
  const fresh = newRow(deps, call, plan);
  if (existing.step === "reserve") return takeOver(deps, call, existing, fresh);
  await releaseHeld(deps, existing);
  return reuseCreateIfVoid(deps.sql, fresh, existing.attempt);
}

/** Continues the same create at its first price; one with another content is undone instead. */
async function takeOver(
  deps: Deps,
  call: CreateCall,
  existing: GenerationRow,
  { at, leaseUntil, undoAt }: NewGeneration,
): Promise<GenerationRow | undefined> {
  const taken = await takeOverCreateIfAbandoned(deps.sql, existing, at, leaseUntil, undoAt);
  if (!taken || fieldThatDiffers(deps, call, taken) === undefined) return taken;
  await voidCreate(deps, taken, at);
  return undefined;
}
