/** Operations on generations. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { kindOf, kindOfId } from "#vocabulary/kind.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { pageParams, readPage } from "../../edge/operations/list.ts";
import { filtersOf } from "../../edge/operations/list-generations.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { presentDelivery } from "../../edge/presenters/webhook-delivery.ts";
import { presentTransaction } from "../../edge/presenters/balance.ts";
import { timelineOf } from "../../domain/timeline.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import { findById } from "./find-by-id.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { pathGenerationId, getGeneration } from "../../edge/operations/retrieve-generation.ts";
import { deleteGeneration as deleteOne } from "../../edge/operations/delete-generation.ts";

type Query = operations["listGenerations"]["parameters"]["query"];

/** listGenerations: GET /accounts/{account_id}/generations. */
export const listGenerations: DashboardOperation = (deps) => async (request) => {
  const { kind, search, key } = request.query as Query;
  const byId = search && (await findById(deps, callerOf(request).accountId, search.trim()));
  if (byId) return byId;
  const { generations, nextAfter, searchedBackTo } = await readPage(
    deps.generation.searchGenerations({
      ...pageParams(request),
      ...filtersOf(request.query as Query),
      ...(kind === undefined ? {} : { kind: kindOf(kind) }),
      ...(search === undefined ? {} : { words: search }),
      ...(key === undefined ? {} : { keyId: key === "none" ? "" : key }),
    }),
  );
  const assetBaseUrl = deps.assetBaseUrl();
  const data = generations.map((generation) => publicGeneration(generation, assetBaseUrl));
  return {
    ...presentPage(data, nextAfter !== undefined),
    ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
    ...(searchedBackTo ? { searched_back_to: publicTime(searchedBackTo) } : {}),
  } satisfies Schemas["GenerationList"];
};

/** Transactions and deliveries; a generation has a handful of each. */
const MAX_ENTRIES = 100;

/** retrieveGeneration: GET /accounts/{account_id}/generations/{id}. */
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

/** deleteGeneration: DELETE /accounts/{account_id}/generations/{id}. */
export const deleteGeneration: DashboardOperation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "GenerationId");
  await deleteOne(deps, request, generationId);
  return reply.code(204).send();
};
