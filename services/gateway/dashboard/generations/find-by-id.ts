/** A search by an id: looks up what it names in the service that owns it, and the generations that belong to it. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { modeName } from "#vocabulary/mode.ts";
import { findAccountKey } from "../../store/account-keys.ts";
import { findRequestMode } from "../../store/request-log.ts";
import type { SessionDeps } from "../session/deps.ts";
import type { Schemas } from "../session/operation.ts";
import type { SearchQuery } from "./search-filter.ts";

type Found = {
  id: Schemas["SearchedId"];
  /** Names the generations that belong to it. */
  generations?: { generationIds: string[] } | { requestId: string };
};

/** What an id names, and the generations that belong to it. */
type SearchedId = { id: Schemas["SearchedId"]; generations: Generation[] };

/** Undefined where the search is for no id as a whole. */
export async function findSearchedId(
  deps: SessionDeps,
  accountId: string,
  { search }: SearchQuery,
): Promise<SearchedId | undefined> {
  const found = search && (await lookUp(deps, accountId, search.trim()));
  if (!found) return undefined;
  const { id, generations: named } = found;
  const { generations } = named
    ? await deps.generation.findGenerations({ accountId, ...named })
    : { generations: [] };
  const isGeneration = id.type === "generation" || id.type === "request";
  return {
    id: isGeneration ? { ...id, found: id.found || generations.length > 0 } : id,
    generations,
  };
}

async function lookUp(
  { delivery, sql }: SessionDeps,
  accountId: string,
  text: string,
): Promise<Found | undefined> {
  if (isGenerationId(text)) {
    return { id: { type: "generation", found: false }, generations: { generationIds: [text] } };
  }
  if (isId("req", text)) {
    const mode = await findRequestMode(sql, accountId, text);
    const found = mode === undefined ? { found: false } : { found: true, mode };
    return { id: { type: "request", ...found }, generations: { requestId: text } };
  }
  if (isId("whd", text) || isId("evt", text)) {
    const found = await inEitherMode((mode) =>
      delivery.getDelivery({ accountId, mode, deliveryId: text }),
    );
    const id = found?.answer.delivery?.id;
    return { id: { type: "delivery", ...whetherFound(found), ...(id && { id }) } };
  }
  if (isId("file", text)) {
    const found = await inEitherMode((mode) =>
      delivery.getFile({ accountId, mode, fileId: text, withUses: true }),
    );
    const usedBy = found?.answer.usedBy ?? [];
    return {
      id: { type: "file", ...whetherFound(found) },
      ...(usedBy.length === 0 ? {} : { generations: { generationIds: usedBy } }),
    };
  }
  if (isId("key", text)) {
    const key = await findAccountKey(sql, accountId, text);
    const found = key
      ? { found: true, mode: key.mode, id: text, name: key.name }
      : { found: false };
    return { id: { type: "key", ...found } };
  }
  return undefined;
}

const ABSENT: ReadonlySet<ErrorReason | undefined> = new Set([
  ErrorReason.NOT_FOUND,
  ErrorReason.FILE_NOT_FOUND,
  ErrorReason.FILE_DELETED,
]);

/** The answer in the mode that has it. */
async function inEitherMode<T>(
  read: (mode: Mode) => Promise<T>,
): Promise<{ mode: Mode; answer: T } | undefined> {
  const reads = [Mode.LIVE, Mode.TEST].map(async (mode) => {
    try {
      return { mode, answer: await read(mode) };
    } catch (error) {
      if (ABSENT.has(reasonOf(error))) return undefined;
      throw error;
    }
  });
  return (await Promise.all(reads)).find((found) => found !== undefined);
}

function whetherFound(found: { mode: Mode } | undefined) {
  return found ? { found: true, mode: modeName(found.mode) } : { found: false };
}
