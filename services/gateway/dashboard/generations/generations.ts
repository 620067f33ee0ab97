/** Operations on generations. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { isTerminal, kindOf, modeOf } from "#vocabulary/names.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import { presentKey } from "../money/transactions.ts";
import { recordAndCall } from "../session/access.ts";
import type { DashboardOperation, Schemas } from "../session/sessions.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { presentTransaction } from "../../edge/operations/balance.ts";
import {
  deleteGeneration as deleteOne,
  filtersOf,
  getGeneration,
  pathGenerationId,
  presentAll,
} from "../../edge/operations/generations.ts";
import { pageParams, readPage, presentPage } from "../../edge/operations/operation.ts";
import { presentDelivery } from "../../edge/operations/webhook-deliveries.ts";
import * as store from "../../store/store.ts";

type Query = operations["listGenerations"]["parameters"]["query"];

export const listGenerations: DashboardOperation = async ({ deps, request }) => {
  const query = request.query as Query;
  const { generations, nextAfter, searchedBackTo } = await readPage(
    deps.generation.searchGenerations({ ...pageParams(request), ...searchOf(query) }),
  );
  return {
    ...presentPage(presentAll(deps, generations), nextAfter !== undefined),
    ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
    ...(searchedBackTo ? { searched_back_to: publicTime(searchedBackTo) } : {}),
  } satisfies Schemas["GenerationList"];
};

/** A name of the metadata and its value: "order=A-104" and "order:A-104" are searched for as "order A-104". */
const PAIR = /(?<=^|\s)([a-z_][\w.-]*)[=:](?!\/\/)(?=\S)/gi;

function searchOf({ kind, search, key, end_user: endUser, ...filters }: Query) {
  return {
    ...filtersOf(filters),
    kind: kind && kindOf(kind),
    words: search?.replaceAll(PAIR, "$1 "),
    endUser,
    keyId: key === "none" ? "" : key,
  };
}

/** Transactions and deliveries; a generation has a handful of each. */
const MAX_ENTRIES = 100;

export const retrieveGeneration: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const generationId = pathGenerationId(call, "GenerationId");
  const { accountId, mode } = callerOf(request);
  const filter = { accountId, mode: modeOf(mode), generationId, limit: MAX_ENTRIES };
  const [generationMessage, { transactions: entries }, { deliveries: sent }] = await Promise.all([
    getGeneration(call, generationId),
    deps.billing.listTransactions(filter),
    deps.delivery.listDeliveries(filter),
  ]);
  const generation = publicGeneration(generationMessage, deps.assetBaseUrl());
  const transactions = entries.map(presentTransaction);
  const deliveries = sent.map(presentDelivery);
  const { keyId } = generationMessage;
  return {
    generation,
    ...presentKey(keyId, await store.findKeyNames(deps.sql, accountId, [keyId])),
    timeline: timelineOf({ generation, transactions, deliveries }),
    transactions,
    deliveries,
  } satisfies Schemas["GenerationView"];
};

export const deleteGeneration: DashboardOperation = async (call) => {
  const target = pathGenerationId(call, "GenerationId");
  const { mode } = callerOf(call.request);
  const change = { action: "generation.delete", target, mode } as const;
  await recordAndCall(call, change, () => deleteOne(call, target));
};

type Entry = Schemas["TimelineEntry"];
type TimelineSource = Pick<Schemas["GenerationView"], "generation" | "transactions" | "deliveries">;

const TERMINAL_TYPES = { success: "succeeded", failed: "failed", canceled: "canceled" } as const;

/** The entries in chronological order; at the same time a cause comes before its effect, because the sort is stable. */
export function timelineOf({ generation, transactions, deliveries }: TimelineSource): Entry[] {
  const { created_at, started_at, completed_at, status } = generation;
  const reserved = transactions.find((one) => one.type === "reserve");
  /** A release of 0 shows the amount that was reserved. */
  const moves = (type: Schemas["TransactionType"], shown: Entry["type"]) =>
    transactions
      .filter((one) => one.type === type)
      .map(({ tokens, charged, created_at: at }) => {
        return { at, type: shown, tokens: charged ?? Math.abs(tokens || (reserved?.tokens ?? 0)) };
      });
  const entries: Entry[] = [
    { at: created_at, type: "created" },
    ...moves("reserve", "reserved"),
    ...(started_at === undefined ? [] : [{ at: started_at, type: "started" as const }]),
    ...moves("capture", "charged"),
    ...moves("release", "restored"),
    ...(completed_at === undefined || !isTerminal(status)
      ? []
      : [{ at: completed_at, type: TERMINAL_TYPES[status] }]),
    ...deliveries.flatMap(({ attempts }) =>
      attempts.map(({ at, status_code, error }) => ({
        at,
        type: "webhook_sent" as const,
        ...(status_code !== undefined && { status_code }),
        ...(error !== undefined && { error }),
      })),
    ),
  ];
  return entries.toSorted((a, b) => a.at.localeCompare(b.at));
}
