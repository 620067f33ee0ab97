/** CreateVideo and CreateImage, and the path that they share: plan, reserve the Tokens, insert the generation. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type {
  CreateImageRequest,
  CreateVideoRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { isUniqueViolation } from "#runtime/postgres/connect.ts";
import { invalidField, reasonOf, refusal } from "#runtime/rpc/errors.ts";
import { keptContext } from "#runtime/work-context.ts";
import { type KindName, modeName, type ModeName } from "#vocabulary/names.ts";
import { inputToJson, toGeneration, type GenerationView } from "../domain/generation.ts";
import { storedUrls } from "../domain/input-urls.ts";
import { commonLackOf } from "../domain/capabilities.ts";
import { planGeneration, type Input, type Plan } from "../domain/plan.ts";
import { differingField } from "../domain/same-request.ts";
import { simulationFaults } from "../domain/simulation.ts";
import type { NewGeneration } from "../store/creates.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { modelFor, modelsFor } from "./models.ts";
import { deleted, notFound, unavailable } from "./refusals.ts";

/** After a hold was made, its generation is inserted within this time or never; the sweep releases holds at twice the age. */
const INSERT_WITHIN_MS = 30_000;

type CreateCall = {
  kind: KindName;
  mode: ModeName;
  request: CreateVideoRequest | CreateImageRequest;
  /** The input as the client gave it, without defaults. */
  given: Input;
  status: NewGeneration["status"];
};

type Created = { row: GenerationView; replayed: boolean };

/**
 * The generation of this id: created now, or found. Refuses with CONTENT_DIFFERS (the id was used with another content),
 * GENERATION_DELETED, NOT_FOUND (only a replay was asked for), MODEL_* and the other rules of the model and of test mode,
 * INSUFFICIENT_TOKENS, TOKEN_LIMIT_REACHED, TOO_MANY_PENDING, FILE_NOT_FOUND, STORAGE_LIMIT_REACHED, or UNAVAILABLE: if
 * no generation was stored, nothing is charged, and what may be held is released within 75 s.
 */
async function createGeneration(
  deps: Deps,
  kind: KindName,
  request: CreateCall["request"],
  status: CreateCall["status"],
) {
  const { input: given } = request;
  if (!given) throw invalidField("input", "input is required");
  const call = { kind, mode: modeName(request.mode), request, given, status };
  const { row, replayed } = await findOrCreate(deps, call);
  return { generation: toGeneration(row), replayed };
}

async function findOrCreate(deps: Deps, call: CreateCall): Promise<Created> {
  const existing = call.request.mayExist ? await replay(deps, call) : undefined;
  if (existing) return existing;
  let planned: Plan | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      planned ??= await plan(deps, call);
      const held = await hold(deps, call, planned, attempt);
      return await insertOrReplay(deps, call, planned, attempt, held);
    } catch (error) {
      const replayed = await replay(deps, call);
      if (replayed) return replayed;
      // A hold that was released, and has no generation, is followed by the next attempt.
      if (reasonOf(error) !== ErrorReason.HOLD_RESOLVED) throw error;
    }
  }
}

/** Throws why nothing new is created. Without a price, which cannot be read now, only a replay can be answered. */
async function plan(deps: Deps, { request, mode, given }: CreateCall): Promise<Plan> {
  const { accountId, model: id } = request;
  if (request.replayOnly) throw notFound(request.generationId);
  const discounts = await deps.discounts(accountId).catch((error: unknown) => {
    deps.log.warn({ err: error, account_id: accountId }, "discounts unavailable");
    throw unavailable();
  });
  const model = modelFor(deps, mode, discounts, id);
  const planned = planGeneration(id, model, given, () => modelsFor(deps, mode, discounts));
  const [first, ...more] = [
    ...(planned.kind === "refused" ? planned.faults : []),
    ...simulationFaults(mode, given.metadata),
  ];
  if (first) throw refusal(first, ...more);
  if (planned.kind === "refused") throw refusal(...planned.faults);
  const lack = commonLackOf(deps.upstreams.of(mode, id), planned.plan.input);
  if (lack) throw refusal({ ...lack, message: `${id}: ${lack.message}` });
  return planned.plan;
}

type Held = Pick<NewGeneration, "insertBy" | "server">;

/** Returns until when and where the generation may be inserted. */
async function hold(
  deps: Deps,
  { request: { accountId, mode, generationId, maxUnfinished, keyId } }: CreateCall,
  plan: Plan,
  attempt: number,
): Promise<Held> {
  const name = { accountId, mode, generationId, attempt };
  const urls = storedUrls(plan.input);
  const calledAt = deps.clock.now();
  try {
    // Kept only after the hold, by which the sweep finds what was cut off.
    if (urls.length > 0) await deps.delivery.useFiles({ ...name, urls, checkOnly: true });
    const server = await deps.rowServer.started();
    const { reservedAt } = await deps.billing.reserve({
      hold: name,
      tokens: plan.tokens,
      maxOpenHolds: maxUnfinished,
      keyId,
      endUser: plan.input.endUser ?? "",
      rowServerStartedUs: server,
    });
    if (urls.length > 0) await deps.delivery.useFiles({ ...name, urls });
    // Billing of 1.0.0 does not say when.
    const heldAt = reservedAt ? timestampDate(reservedAt) : calledAt;
    return { insertBy: addMs(heldAt, INSERT_WITHIN_MS), server };
  } catch (error) {
    const reason = reasonOf(error);
    // Another create with this id, and another price, has not ended: it is finished, or released soon.
    if (reason === ErrorReason.CONTENT_DIFFERS) throw unavailable();
    if (reason !== undefined) throw error;
    const fields = { err: error, generation_id: generationId, account_id: accountId };
    deps.log.warn(fields, "create cut off; what it may hold will be released");
    throw unavailable();
  }
}

async function insertOrReplay(
  deps: Deps,
  call: CreateCall,
  { input, defaulted, tokens }: Plan,
  attempt: number,
  held: Held,
): Promise<Created> {
  const { kind, mode, status, request } = call;
  const { accountId, generationId, model } = request;
  const createdAt = deps.clock.now();
  const made = deps.writes.insert({
    ...keptContext(),
    accountId,
    id: generationId,
    kind,
    mode,
    model,
    keyId: request.keyId || null,
    input: inputToJson(input),
    defaulted,
    tokens,
    attempt,
    status,
    createdAt,
    startedAt: status === "processing" ? createdAt : null,
    queueUntil: deps.catalog.queueDeadline({ kind, model, createdAt }),
    ...held,
  });
  const row = await made.catch((error: unknown) => {
    // A create of this id that 1.0.0 refused has left its task until the sweep.
    throw isUniqueViolation(error) ? unavailable() : error;
  });
  if (row) {
    deps.signalCreated(row);
    return { row, replayed: false };
  }
  const replayed = await replay(deps, call);
  if (replayed) return replayed;
  deps.rowServer.forget();
  if ((await deps.rowServer.started()) !== held.server) throw unavailable();
  // Too late: this attempt has no generation, and never will. The sweep may have been there before the files were kept.
  if (storedUrls(input).length > 0) {
    await deps.delivery.releaseFiles({ accountId, generationId, attempt });
  }
  throw unavailable();
}

/** The existing generation. Refuses with CONTENT_DIFFERS, or GENERATION_DELETED: nothing is left to compare with. */
async function replay(deps: Deps, call: CreateCall): Promise<Created | undefined> {
  const { accountId, generationId, model: id } = call.request;
  const row = await deps.findShown(accountId, generationId);
  if (!row) return undefined;
  if (row.deletedAt) throw deleted();
  // There is nothing left to compare with, and an accepted create must never be made and charged again.
  if (row.erasedAt) return { row, replayed: true };
  const isSameKind = row.mode === call.mode && row.kind === call.kind;
  const model = deps.catalog.find(row.model);
  const field = isSameKind ? differingField(row, id, model, call.given) : "model";
  if (field === undefined) return { row, replayed: true };
  throw refusal({
    reason: ErrorReason.CONTENT_DIFFERS,
    field,
    message: `This Idempotency-Key was used before with another value of ${field}. Use a new one for a new request.`,
  });
}

export function createRpcs(deps: Deps) {
  return {
    /**
     * CreateVideo: accepts a video generation and answers while it is pending.
     * Idempotent by `generation_id`: a repeated call with the same content answers the generation as it is now and charges
     * nothing. Otherwise the price is reserved and the generation is stored before the answer. Errors: as
     * `createGeneration`.
     */
    createVideo: (request) => createGeneration(deps, "video", request, "pending"),
    /** CreateImage: accepts an image generation as CreateVideo does, with the same errors. */
    createImage: (request) =>
      createGeneration(deps, "image", request, request.asynchronous ? "pending" : "processing"),
  } satisfies Rpcs;
}
