/** The list of webhook deliveries: its pages, its totals, and all of it as CSV. */
import type { FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/dashboard.ts";
import { deliveryStatusOf } from "#vocabulary/delivery-status.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { readPage } from "../../edge/operations/list.ts";
import { deliveryFilterOf } from "../../edge/operations/webhook-deliveries.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { presentDelivery } from "../../edge/presenters/webhook-delivery.ts";
import { sendCsv } from "../session/csv-download.ts";
import type { SessionDeps } from "../session/deps.ts";
import { presentListTotals } from "../session/list-totals.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

type Query = operations["listDeliveries"]["parameters"]["query"];

export const listDeliveries: DashboardOperation = (deps) => async (request) => {
  const { limit, after } = request.query as { limit: number; after?: string };
  const { deliveries, hasMore } = await readPage(readDeliveries(deps, request, { limit, after }));
  return presentPage(
    deliveries.map(presentDelivery),
    hasMore,
  ) satisfies Schemas["WebhookDeliveryList"];
};

type Page = { limit: number; after?: string | undefined };

function readDeliveries(deps: SessionDeps, request: FastifyRequest, { limit, after }: Page) {
  const { generation_id: generationId } = request.query as Query;
  return deps.delivery.listDeliveries({
    ...filterOf(request),
    generationId,
    limit,
    after,
  });
}

function filterOf(request: FastifyRequest) {
  const { accountId, mode } = callerOf(request);
  const { status, ...query } = request.query as Query;
  return {
    accountId,
    mode: modeOf(mode),
    ...deliveryFilterOf(query),
    status: status && deliveryStatusOf(status === "failing" ? "pending" : status),
    failing: status === "failing",
  };
}

export const retrieveDeliveryTotals: DashboardOperation = (deps) => async (request) =>
  presentListTotals(await deps.delivery.countDeliveries(filterOf(request)));

const PAGE_SIZE = 100;
const COLUMNS = [
  "id",
  "event_id",
  "type",
  "generation_id",
  "url",
  "status",
  "attempts",
  "last_attempt_at",
  "last_status_code",
  "last_error",
  "next_attempt_at",
] as const;

export const downloadDeliveries: DashboardOperation = (deps) => async (request, reply) => {
  const { mode } = callerOf(request);
  return sendCsv(request, reply, `deliveries-${mode}.csv`, COLUMNS, async (after?: string) => {
    const page = await readDeliveries(deps, request, { limit: PAGE_SIZE, after });
    const rows = page.deliveries.map(presentDelivery).map(csvRowOf);
    return { rows, next: page.hasMore ? rows.at(-1)?.id : undefined };
  });
};

function csvRowOf({ attempts, ...delivery }: Schemas["WebhookDelivery"]) {
  const last = attempts.at(-1);
  return {
    ...delivery,
    attempts: attempts.length,
    last_attempt_at: last?.at,
    last_status_code: last?.status_code,
    last_error: last?.error,
  };
}
