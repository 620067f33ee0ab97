/** retrieveGeneration: GET /accounts/{account_id}/generations/{id}. */
import { kindOfId } from "#runtime/kind.ts";
import { modeOf } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import { presentDelivery } from "../../presenters/webhook-delivery.ts";
import { presentTransaction } from "../../presenters/transaction.ts";
import { timelineOf } from "../../domain/timeline.ts";
import { callerOf } from "../../http/request-state.ts";
import { pathGenerationId, getGeneration } from "../../operations/retrieve-generation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

/** Transactions and deliveries; a generation has a handful of each. */
const MAX_ENTRIES = 100;

export const retrieveGeneration: DashboardOperation = (deps) => async (request) => {
  const generationId = pathGenerationId(
    { ...deps, contract: deps.dashboardContract },
    request,
    "GenerationId",
  );
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
    ...(keyId === "" ? {} : { key_id: keyId }),
    timeline: timelineOf({ generation, transactions, deliveries }),
    transactions,
    deliveries,
  } satisfies Schemas["GenerationView"];
};
