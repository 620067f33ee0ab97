/** Operations on what generations cost: a page of a month with the names of its keys. */
import type { FastifyRequest } from "fastify";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Charge } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { monthOf } from "../../domain/month.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { readPage } from "../../edge/operations/list.ts";
import { required } from "../../edge/presenters/required.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import type { Schemas, DashboardOperation } from "../session/operation.ts";
import type { SessionDeps } from "../session/deps.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { sendCsv } from "../session/csv-download.ts";

/** `after` is the last generation of the previous page. */
export async function readCharges(
  deps: SessionDeps,
  request: FastifyRequest,
  { month, limit, after }: { month: string; limit: number; after?: string | undefined },
): Promise<{ charges: Schemas["Charge"][]; hasMore: boolean }> {
  const { accountId, mode } = callerOf(request);
  const { from, to } = monthOf(month);
  const span = { from: timestampFromDate(from), to: timestampFromDate(to) };
  const { charges, hasMore } = await readPage(
    deps.generation.listCharges({ accountId, mode: modeOf(mode), ...span, limit, after }),
  );
  const ids = charges.map(({ keyId }) => keyId);
  const names = await findKeyNames(deps.sql, accountId, ids);
  return { charges: charges.map((charge) => present(charge, names)), hasMore };
}

/** The fields that name a key; none for the playground, and no name for a key that is gone. */
export function presentKey(keyId: string, names: ReadonlyMap<string, string>) {
  const name = names.get(keyId);
  return {
    ...(keyId === "" ? {} : { key_id: keyId }),
    ...(name === undefined ? {} : { key_name: name }),
  };
}

function present(charge: Charge, names: ReadonlyMap<string, string>): Schemas["Charge"] {
  const { generationId, kind, model, prompt, keyId, endUser, tokens } = charge;
  return {
    charged_at: publicTime(required(charge.chargedAt)),
    generation_id: generationId,
    kind: kindName(kind),
    model,
    prompt,
    ...presentKey(keyId, names),
    ...(endUser && { end_user: endUser }),
    tokens: Number(tokens),
    created_at: publicTime(required(charge.createdAt)),
  };
}

type Query = { month: string; limit: number; after?: string };

export const listCharges: DashboardOperation = (deps) => async (request) => {
  const { month, limit, after } = request.query as Query;
  const { charges, hasMore } = await readCharges(deps, request, { month, limit, after });
  return presentPage(charges, hasMore) satisfies Schemas["ChargeList"];
};

const PAGE_SIZE = 500;
const COLUMNS = [
  "charged_at",
  "generation_id",
  "kind",
  "model",
  "prompt",
  "key_id",
  "key_name",
  "end_user",
  "tokens",
  "created_at",
] as const;

export const downloadCharges: DashboardOperation = (deps) => async (request, reply) => {
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  const fileName = `charges-${mode}-${month}.csv`;
  return sendCsv(request, reply, fileName, COLUMNS, async (after?: string) => {
    const page = { month, limit: PAGE_SIZE, after };
    const { charges, hasMore } = await readCharges(deps, request, page);
    return { rows: charges, next: hasMore ? charges.at(-1)?.generation_id : undefined };
  });
};
