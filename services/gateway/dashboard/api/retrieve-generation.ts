/** retrieveGeneration: GET /accounts/{account_id}/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import { publicDelivery } from "../../presenters/delivery.ts";
import { publicTransaction } from "../../presenters/transaction.ts";
import { timelineOf } from "../../domain/timeline.ts";
import { callerOf } from "../../http/request-state.ts";
import { READ_TIMEOUT_MS, callFor } from "../../operations/operation.ts";
import { generationIdIn, getGeneration } from "../../operations/retrieve-generation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

/** A generation has a handful of each. */
const MOST = 100;

export const retrieveGeneration: DashboardOperation = (deps) => async (request) => {
  const generationId = generationIdIn(
    { ...deps, contract: deps.dashboard },
    request,
    "GenerationId",
  );
  const { accountId, mode } = callerOf(request);
  const wanted = { accountId, mode: modeOf(mode), generationId, limit: MOST };
  const kind = generationId.startsWith("vgen_") ? Kind.VIDEO : Kind.IMAGE;
  const call = callFor(request, READ_TIMEOUT_MS);
  const [found, { transactions: entries }, { deliveries: sent }] = await Promise.all([
    getGeneration(deps, request, kind, generationId),
    deps.billing.listTransactions(wanted, call),
    deps.delivery.listDeliveries(wanted, call),
  ]);
  const generation = publicGeneration(found, deps.assetBaseUrl());
  const transactions = entries.map(publicTransaction);
  const deliveries = sent.map(publicDelivery);
  return {
    generation,
    timeline: timelineOf({ generation, transactions, deliveries }),
    transactions,
    deliveries,
  } satisfies Schemas["GenerationView"];
};
