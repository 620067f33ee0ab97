/** Shared by the operations on what generations cost: a page of a month with the names of its keys. */
import type { FastifyRequest } from "fastify";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Charge } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindName } from "#runtime/kind.ts";
import { modeOf } from "#runtime/mode.ts";
import { publicTime } from "#runtime/public-time.ts";
import { monthOf } from "../domain/month.ts";
import { callerOf } from "../http/request-state.ts";
import { readPage } from "../operations/list.ts";
import { required } from "../operations/operation.ts";
import { findKeyNames } from "../store/account-keys.ts";
import type { Schemas } from "./api/operation.ts";
import type { DashboardDeps } from "./deps.ts";

/** `after` is the last generation of the previous page. */
export async function readCharges(
  deps: DashboardDeps,
  request: FastifyRequest,
  { month, limit, after }: { month: string; limit: number; after?: string | undefined },
): Promise<{ charges: Schemas["Charge"][]; hasMore: boolean }> {
  const { accountId, mode } = callerOf(request);
  const { from, to } = monthOf(month);
  const span = { from: timestampFromDate(from), to: timestampFromDate(to) };
  const page = { limit, ...(after === undefined ? {} : { after }) };
  const { charges, hasMore } = await readPage(
    deps.generation.listCharges({ accountId, mode: modeOf(mode), ...span, ...page }),
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
  const { generationId, kind, model, prompt, keyId, tokens } = charge;
  return {
    charged_at: publicTime(required(charge.chargedAt)),
    generation_id: generationId,
    kind: kindName(kind),
    model,
    prompt,
    ...presentKey(keyId, names),
    tokens: Number(tokens),
    created_at: publicTime(required(charge.createdAt)),
  };
}
