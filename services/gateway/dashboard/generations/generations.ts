/** Operations on generations. */
import type { operations } from "#gen/openapi/dashboard.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindOf, kindOfId, modeOf } from "#vocabulary/names.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { pageParams, readPage } from "../../edge/operations/operation.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import type { Change } from "../../accounts/recorder.ts";
import { recordAndCall } from "../session/access.ts";
import type { DashboardOperation, Schemas } from "../session/sessions.ts";
import { presentDelivery } from "../../edge/operations/webhook-deliveries.ts";
import { presentTransaction } from "../../edge/operations/balance.ts";
import { timelineOf } from "../../domain/timeline.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import { presentKey } from "../money/transactions.ts";
import { findKeyNames } from "../../store/api-keys.ts";
import {
  filtersOf,
  pathGenerationId,
  getGeneration,
  deleteGeneration as deleteOne,
} from "../../edge/operations/generations.ts";
import { callerOf } from "../../edge/http/request-state.ts";

type Query = operations["listGenerations"]["parameters"]["query"];

export const listGenerations: DashboardOperation = (deps) => async (request) => {
  const query = request.query as Query;
  const assetBaseUrl = deps.assetBaseUrl();
  const present = (generation: Generation) => publicGeneration(generation, assetBaseUrl);
  const { generations, nextAfter, searchedBackTo } = await readPage(
    deps.generation.searchGenerations({ ...pageParams(request), ...searchOf(query) }),
  );
  return {
    ...presentPage(generations.map(present), nextAfter !== undefined),
    ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
    ...(searchedBackTo ? { searched_back_to: publicTime(searchedBackTo) } : {}),
  } satisfies Schemas["GenerationList"];
};

const PAIR = /(?<=^|\s)([a-z_][\w.-]*)[=:](?!\/\/)(?=\S)/gi;

/** A name of the metadata and its value are two words: "order=A-104" and "order:A-104" are searched for as "order A-104". */
function pairsAsWords(search: string): string {
  return search.replaceAll(PAIR, "$1 ");
}

function searchOf({ kind, search, key, end_user: endUser, ...filters }: Query) {
  return {
    ...filtersOf(filters),
    ...(kind === undefined ? {} : { kind: kindOf(kind) }),
    ...(search === undefined ? {} : { words: pairsAsWords(search) }),
    ...(endUser === undefined ? {} : { endUser }),
    ...(key === undefined ? {} : { keyId: key === "none" ? "" : key }),
  };
}

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
  return {
    generation,
    ...presentKey(keyId, await findKeyNames(deps.sql, accountId, [keyId])),
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
