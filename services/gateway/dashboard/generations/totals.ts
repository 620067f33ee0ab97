/** All that the list of generations matches: how many and what they cost, and the list as CSV. */
import type { FastifyRequest } from "fastify";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { Status, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import { sendCsv } from "../session/csv-download.ts";
import { presentListTotals } from "../session/list-totals.ts";
import type { SessionDeps } from "../session/deps.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { findSearchedId } from "./find-by-id.ts";
import { searchOf, type SearchQuery } from "./search-filter.ts";

export const retrieveGenerationTotals: DashboardOperation = (deps) => async (request) => {
  const query = request.query as SearchQuery;
  const { accountId, mode } = callerOf(request);
  const byId = await findSearchedId(deps, accountId, query);
  if (byId) return totalsOf(byId.generations);
  const counted = await deps.generation.countGenerations({
    accountId,
    mode: modeOf(mode),
    ...searchOf(query),
  });
  return presentListTotals(counted);
};

function totalsOf(found: readonly Generation[]): Schemas["ListTotals"] {
  const tokens = found.reduce((sum, one) => sum + tokensOf(one), 0);
  return { object: "list.totals", count: found.length, tokens };
}

/** What was charged. */
function tokensOf({ status, credits }: Generation): number {
  return status === Status.SUCCESS ? Number(credits) : 0;
}

const PAGE_SIZE = 100;
const COLUMNS = [
  "created_at",
  "id",
  "kind",
  "status",
  "model",
  "prompt",
  "tokens",
  "completed_at",
  "error",
  "key_id",
  "key_name",
  "end_user",
  "metadata",
  "output_urls",
  "duration_seconds",
  "width",
  "height",
  "bytes",
] as const;

export const downloadGenerations: DashboardOperation = (deps) => async (request, reply) => {
  const { mode } = callerOf(request);
  return sendCsv(request, reply, `generations-${mode}.csv`, COLUMNS, (after?: string) =>
    readRows(deps, request, after),
  );
};

async function readRows(deps: SessionDeps, request: FastifyRequest, after: string | undefined) {
  const { accountId } = callerOf(request);
  const { generations, next } = await readMatches(deps, request, after);
  const ids = generations.map(({ keyId }) => keyId);
  const names = await findKeyNames(deps.sql, accountId, ids);
  const rows = generations.map((generation) => rowOf(generation, deps.assetBaseUrl(), names));
  return { rows, next };
}

async function readMatches(deps: SessionDeps, request: FastifyRequest, after: string | undefined) {
  const query = request.query as SearchQuery;
  const { accountId, mode } = callerOf(request);
  const byId = await findSearchedId(deps, accountId, query);
  if (byId) return { generations: byId.generations, next: undefined };
  const { generations, nextAfter } = await deps.generation.searchGenerations({
    accountId,
    mode: modeOf(mode),
    limit: PAGE_SIZE,
    ...(after && { after }),
    ...searchOf(query),
  });
  return { generations, next: nextAfter };
}

function rowOf(message: Generation, assetBaseUrl: string, names: ReadonlyMap<string, string>) {
  const generation = publicGeneration(message, assetBaseUrl);
  const { object, input, error } = generation;
  const metadata = input.metadata ?? {};
  return {
    ...generation,
    kind: object === "video.generation" ? "video" : "image",
    prompt: input.prompt,
    tokens: tokensOf(message),
    error: error?.code,
    key_id: message.keyId,
    key_name: names.get(message.keyId),
    end_user: input.end_user,
    metadata: Object.keys(metadata).length === 0 ? "" : JSON.stringify(metadata),
    ...outputCells(generation.output),
  };
}

/** The URLs of all files; the measures of the first, which are those of the others, and the bytes of all. */
function outputCells(files: ReturnType<typeof publicGeneration>["output"]) {
  const [first] = files;
  if (!first) return {};
  return {
    output_urls: files.map(({ url }) => url).join(" "),
    duration_seconds: "duration" in first ? first.duration : undefined,
    width: first.width,
    height: first.height,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
