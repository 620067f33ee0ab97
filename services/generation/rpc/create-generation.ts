/** CreateVideo and CreateImage, and the path that they share: plan, insert the row, reserve the Tokens, acknowledge. */
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  CreateImageRequest,
  CreateVideoRequest,
  GenerationService,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { KindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import { keptContext } from "#runtime/work-context.ts";
import { modelFor, modelsFor } from "./models.ts";
import type { Deps } from "./deps.ts";
import { planGeneration } from "../domain/plan.ts";
import { simulationFaults } from "../domain/simulation.ts";
import {
  type CreateCall,
  type Created,
  newRow,
  type PlannedCreate,
  reserveAndAcknowledge,
} from "./acknowledge-create.ts";
import { deleted, required } from "./refusals.ts";
import { resumeExisting } from "./resume-existing.ts";
import { waitForEnd, waitUntil } from "./wait-for-end.ts";
import { toGeneration } from "../domain/generation.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";

/** How long a call waits, from its plan on, for another call that works on the same id. */
const WAIT_FOR_OTHER_MS = 20_000;

export function createCallOf(
  kind: KindName,
  request: CreateVideoRequest | CreateImageRequest,
  firstStatus: CreateCall["firstStatus"],
): CreateCall {
  return {
    accountId: request.accountId,
    mode: modeName(request.mode),
    kind,
    id: request.generationId,
    model: request.model,
    given: required(request.input, "input"),
    firstStatus,
    replayOnly: request.replayOnly,
    maxUnfinished: request.maxUnfinished,
    keyId: request.keyId || null,
    ...keptContext(),
  };
}

/**
 * The acknowledged generation of this id: created now, or found. Refuses with CONTENT_DIFFERS (the id was used with
 * another content), GENERATION_DELETED, NOT_FOUND (only a replay was asked for), MODEL_* and the other rules of the model
 * and of test mode, INSUFFICIENT_TOKENS, TOKEN_LIMIT_REACHED, TOO_MANY_PENDING, or UNAVAILABLE (nothing was charged, or it
 * will be restored).
 */
export async function createGeneration(
  deps: Deps,
  call: CreateCall,
  context: HandlerContext,
): Promise<Created> {
  const created = await createOrResume(deps, call, context);
  deps.acknowledged.add(call);
  return created;
}

async function createOrResume(
  deps: Deps,
  call: CreateCall,
  context: HandlerContext,
): Promise<Created> {
  const planned = await plan(deps, call);
  const giveUpAt = waitUntil(deps, context, WAIT_FOR_OTHER_MS);
  if (planned.kind === "planned" && !call.replayOnly && !deps.acknowledged.has(call)) {
    const row = await deps.writes.insert(newRow(deps, call, planned.plan));
    const acknowledged = row && (await reserveAndAcknowledge(deps, call, row));
    if (acknowledged) return { row: acknowledged, replayed: false };
  }
  return resumeExisting(deps, call, planned, giveUpAt);
}

async function plan(deps: Deps, call: CreateCall): Promise<PlannedCreate> {
  const discounts = await deps.discounts(call.accountId).catch((error: unknown) => {
    deps.log.warn({ err: error, account_id: call.accountId }, "discounts unavailable");
    return undefined;
  });
  if (!discounts) return { kind: "unpriced" };
  const model = modelFor(deps.catalog, deps.upstreams, call.mode, discounts, call.model);
  const all = () => modelsFor(deps, call.mode, discounts);
  const planned = planGeneration(call.model, model, call.given, all);
  const [first, ...more] = [
    ...(planned.kind === "refused" ? planned.faults : []),
    ...simulationFaults(call.mode, call.given.metadata),
  ];
  if (first) return { kind: "refused", faults: [first, ...more] };
  if (planned.kind === "refused") return planned;
  const lack = deps.upstreams.lackOf(call.mode, call.model, planned.plan.input);
  if (!lack) return planned;
  return { kind: "refused", faults: [{ ...lack, message: `${call.model}: ${lack.message}` }] };
}

/**
 * CreateVideo: accepts a video generation and answers while it is pending.
 * Idempotent by `generation_id`: a repeated call with the same content answers the generation as it is now and charges
 * nothing. Otherwise the price is reserved and the generation is stored before the answer. Errors: as
 * `createGeneration`.
 */
export function createVideo(deps: Deps): ServiceImpl<typeof GenerationService>["createVideo"] {
  return async (request, context) => {
    const { row, replayed } = await createGeneration(
      deps,
      createCallOf("video", request, "pending"),
      context,
    );
    return { generation: toGeneration(row), replayed };
  };
}

/**
 * CreateImage: accepts an image generation as CreateVideo does, with the same errors, and answers once the image has ended, or after `wait_seconds` with the
 * image as it is then. A caller that hangs up ends only the wait.
 */
export function createImage(deps: Deps): ServiceImpl<typeof GenerationService>["createImage"] {
  return async (request, context) => {
    using waiter = deps.completions.waiterOf(request.generationId);
    const giveUpAt = waitUntil(deps, context, request.waitSeconds * 1000);
    const call = createCallOf("image", request, request.asynchronous ? "pending" : "processing");
    const { row, replayed } = await createGeneration(deps, call, context);
    context.values.get(turnKey)?.pause();
    const ended = await waitForEnd(deps, waiter, row, giveUpAt, context.signal);
    if (ended.deletedAt) throw deleted();
    return { generation: toGeneration(ended), replayed };
  };
}
