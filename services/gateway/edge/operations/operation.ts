/** What the operations share: admission, the ids of paths, lists, and the public form of rows and messages. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isMessage } from "@bufbuild/protobuf";
import { timestampFromDate, TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { succeeds } from "#runtime/clock.ts";
import { columnOf } from "#runtime/postgres/values.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#vocabulary/names.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import type { Deps } from "./deps.ts";
import { boundsOf } from "../../domain/time.ts";
import type * as routes from "../http/document-routes.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import { Problem, type ProblemOptions, toProblem } from "../http/problem.ts";
import type { ErrorCode } from "../validation/checker.ts";
import { authenticate } from "../http/authenticate.ts";
import { requestLimiter } from "../rate-limit/limiter.ts";

export type Operation = routes.Operation<Deps>;

export function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

export function ownerOf(request: FastifyRequest): Owner {
  const { accountId, mode } = callerOf(request);
  return { accountId, mode: modeOf(mode) };
}

export type Owner = { accountId: string; mode: Mode };

/** What an id names: `idSchema` is the name of a schema of the document, `code` that of an id that is not there. */
export type Noun<Ref> = {
  name: string;
  idSchema: string;
  code: ErrorCode;
  /** What is said of one that was deleted. */
  deleted?: (id: string) => string;
  /** The fields by which RPCs name it. */
  refOf: (owner: Owner, id: string) => Ref;
  read: (deps: Deps, ref: Ref) => Promise<unknown>;
};

/** The `id` in the path. Throws 404 for one that has not the form of a noun's. */
export function pathIdOf<Ref>({ deps, request }: Call<Deps>, { name, idSchema, code }: Noun<Ref>) {
  const id = pathId(request);
  const schema = deps.contract.document.components.schemas[idSchema];
  const { pattern, examples } = schema as { pattern: string; examples: [string] };
  if (new RegExp(pattern).test(id)) return id;
  const message = `This is not the id of a ${name}, such as ${examples[0]}. Check the id.`;
  throw notFound(code, { message });
}

/** Of the RPCs' errors. */
const ABSENT = new Set<ErrorCode>(["generation_not_found", "file_not_found"]);

/** The answer of `rpc` on what the caller has under that id, or 404, which says so of what is in the other mode. */
export async function ofOwner<Ref, T>(
  call: Call<Deps>,
  noun: Noun<Ref>,
  rpc: (ref: Ref) => Promise<T>,
  id = pathIdOf(call, noun),
): Promise<T> {
  const { accountId, mode, keyId } = callerOf(call.request);
  const { code, deleted, refOf } = noun;
  try {
    return await rpc(refOf({ accountId, mode: modeOf(mode) }, id));
  } catch (cause) {
    const { code: refusal } = toProblem(cause);
    if (deleted && refusal === "gone") throw new Problem("gone", { cause, message: deleted(id) });
    if (!ABSENT.has(refusal)) throw cause;
    const other = mode === "live" ? "test" : "live";
    const elsewhere = refOf({ accountId, mode: modeOf(other) }, id);
    if (!(await succeeds(noun.read(call.deps, elsewhere)))) throw notFound(code, { cause });
    const next =
      keyId === undefined
        ? `Change to ${other} mode.`
        : `Your API key is for ${mode} mode: use a ${other} key.`;
    throw notFound(code, { message: `It belongs to ${other} mode. ${next}` });
  }
}

/** An unknown file is 400 in the body of a create. */
function notFound(code: ErrorCode, more: ProblemOptions): Problem {
  return new Problem(code, { ...more, type: "not_found_error" });
}

/** The caller and the page as fields of the RPCs. The document's checks have validated them and set the default. */
export function pageParams(request: FastifyRequest) {
  const { limit, after } = request.query as { limit: number; after?: string };
  return { ...ownerOf(request), limit, after };
}

/** The times between which a list's entries were created, as fields of the RPCs. */
export function spanOf(times: Parameters<typeof boundsOf>[0]) {
  const { after, before } = boundsOf(times);
  return {
    createdAfter: after && timestampFromDate(after),
    createdBefore: before && timestampFromDate(before),
  };
}

/** The response of a list RPC; 400 for an `after` that is not in the list. */
export async function readPage<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const [fault] = faultsOf(error);
    if (fault?.reason !== ErrorReason.NOT_FOUND || fault.field !== "after") throw error;
    throw notInList();
  }
}

export function notInList(): Problem {
  const message = "after is not an id of this list. Send the last id of the page before.";
  return new Problem("invalid_value", { message, param: "after" });
}

/** Sets the caller. Returns the problem of a request over the limit, to be thrown after what takes precedence. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;

/** `kind`: as what requests count; else by their method. */
export function admitByKey(deps: Deps, kind?: "reads"): Admit {
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    await authenticate(deps, request);
    return limitRequest(request, reply, kind);
  };
}

/** A page of a list; without `hasMore` the list always fits one. */
export function presentPage<T>(data: T[], hasMore = false) {
  return { object: "list" as const, data, has_more: hasMore };
}

type Snake<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";
type PublicValue<Value> = Value extends Date | Timestamp
  ? string
  : Value extends bigint
    ? number
    : Value;
/** No proto says which times a message always has: all are typed as present, also those that may be absent. */
type Lacking<From, Name extends keyof From> = Timestamp extends From[Name]
  ? never
  : Extract<From[Name], null | undefined>;
type Public<From> = {
  [Name in keyof From as Lacking<From, Name> extends never ? Snake<Name> : never]-?: PublicValue<
    NonNullable<From[Name]>
  >;
} & {
  [Name in keyof From as Lacking<From, Name> extends never ? never : Snake<Name>]?: PublicValue<
    NonNullable<From[Name]>
  >;
};

/**
 * A row or a message as the documents have it: names in snake case, times as texts, integers as numbers, and without what
 * is absent. Serializers leave out what the schema of an answer does not have.
 */
export function publicOf<From extends object>(from: From): Public<From> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== null && value !== undefined) fields[columnOf(name)] = publicValue(value);
  }
  return fields as Public<From>;
}

function publicValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object") return value;
  if (value instanceof Date) return value.toISOString();
  return isMessage(value, TimestampSchema) ? publicTime(value) : value;
}

/** A message field that every response of the RPC has; throws when it is missing. */
export function required<T>(field: T | undefined): T {
  if (field === undefined) throw new Error("the RPC's response lacks a required field");
  return field;
}
