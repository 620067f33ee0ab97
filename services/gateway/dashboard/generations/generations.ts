/** Operations on generations. */
import type { operations } from "#gen/openapi/dashboard.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindOfId } from "#vocabulary/kind.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { pageParams, readPage } from "../../edge/operations/list.ts";
import { presentPage, presentWholeList } from "../../edge/presenters/page.ts";
import type { Change } from "../../accounts/recorder.ts";
import { recordAndCall } from "../session/change-account.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { presentDelivery } from "../../edge/presenters/webhook-delivery.ts";
import { presentTransaction } from "../../edge/presenters/balance.ts";
import { timelineOf } from "../../domain/timeline.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import { findSearchedId } from "./find-by-id.ts";
import { searchOf } from "./search-filter.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { pathGenerationId, getGeneration } from "../../edge/operations/retrieve-generation.ts";
import { deleteGeneration as deleteOne } from "../../edge/operations/delete-generation.ts";

type Query = operations["listGenerations"]["parameters"]["query"];

export const listGenerations: DashboardOperation = (deps) => async (request) => {
  const query = request.query as Query;
  const assetBaseUrl = deps.assetBaseUrl();
  const present = (generation: Generation) => publicGeneration(generation, assetBaseUrl);
  const byId = await findSearchedId(deps, callerOf(request).accountId, query);
  if (byId) {
    return { ...presentWholeList(byId.generations.map(present)), searched_id: byId.id };
  }
  const { generations, nextAfter, searchedBackTo } = await readPage(
    deps.generation.searchGenerations({ ...pageParams(request), ...searchOf(query) }),
  );
  return {
    ...presentPage(generations.map(present), nextAfter !== undefined),
    ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
    ...(searchedBackTo ? { searched_back_to: publicTime(searchedBackTo) } : {}),
  } satisfies Schemas["GenerationList"];
};

/** Transactions and deliveries; a generation has a handful of each. */
const MAX_ENTRIES = 100;

export const retrieveGeneration: DashboardOperation = (deps) => async (request) => {
  const generationId = pathGenerationId(deps, request, "GenerationId");
  const { accountId, mode } = callerOf(request);
  const filter = { accountId, mode: modeOf(mode), generationId, limit: MAX_ENTRIES };
  const kind = kindOfId(generationId);
  const [generationMessage, { transactions: entries }, { deliveries: sent }] = await Promise.all([
    getGeneration(deps, request, kind, generationId),
    deps.billing.listTransactions(filter),
    deps.delivery.listDeliveries(filter),
  ]);
  const generation = publicGeneration(generationMessage, deps.assetBaseUrl());
  const transactions = entries.map(presentTransaction);
  const deliveries = sent.map(presentDelivery);
  const { keyId } = generationMessage;
  const keyName = keyId && (await findKeyNames(deps.sql, accountId, [keyId])).get(keyId);
  return {
    generation,
    ...(keyId === "" ? {} : { key_id: keyId }),
    ...(keyName ? { key_name: keyName } : {}),
    timeline: timelineOf({ generation, transactions, deliveries }),
    transactions,
    deliveries,
  } satisfies Schemas["GenerationView"];
};

export const deleteGeneration: DashboardOperation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "GenerationId");
  const change: Change = {
    action: "generation.delete",
    target: generationId,
    mode: callerOf(request).mode,
  };
  await recordAndCall(deps, request, change, () => deleteOne(deps, request, generationId));
  return reply.code(204).send();
};
