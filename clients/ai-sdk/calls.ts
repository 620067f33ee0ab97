/** What both kinds of models do with a call: its headers, its idempotency key and its errors. */
import { APICallError, type SharedV4Warning } from "@ai-sdk/provider";
import {
  ApiError,
  ConnectionError,
  GENERATION_STATUSES,
  WaitStoppedError,
  type CallOptions,
  type Client,
  type CreateOptions,
  type Image,
  type Result,
  type Video,
} from "../typescript/index.ts";
import { pageOf } from "../typescript/http/wait.ts";
import packageJson from "./package.json" with { type: "json" };

/** The client, and the whole URL of a path of the API for errors. */
export type Service = { client: Client; urlOf: (path: string) => string };

/** The AI SDK makes one call for all that is wanted, so that each part of it gets a key of its own here. */
export const MAX_PER_CALL: number = Number.MAX_SAFE_INTEGER;

type SdkCall = {
  headers?: Record<string, string | undefined>;
  abortSignal?: AbortSignal | undefined;
};

/** The options of a call that creates nothing. */
export function callOptions(call: SdkCall): CallOptions {
  const { idempotencyKey: _key, ...options } = createOptions(call, 0);
  return options;
}

/**
 * The options of the create with that index. A key in the call's headers is that of the first; the others add their index, so
 * that the call repeated makes and charges nothing more.
 */
export function createOptions(
  { headers = {}, abortSignal }: SdkCall,
  index: number,
): CreateOptions {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const lowerCase = given.map(([name, value]) => [name.toLowerCase(), value] as const);
  const { [KEY_HEADER]: key, ...sent } = Object.fromEntries(lowerCase) as Record<string, string>;
  const agent = `${sent["user-agent"] ?? ""} ${packageJson.name}/${packageJson.version}`;
  return {
    headers: { ...sent, "user-agent": agent.trim() },
    ...(abortSignal && { signal: abortSignal }),
    ...(key !== undefined && { idempotencyKey: index === 0 ? key : `${key}-${index}` }),
  };
}

const KEY_HEADER = "idempotency-key";

/** The generation that a call is about, and what is so of it where the call fails. */
type Created = { id: string; state: "goes on" | "has succeeded" };

/**
 * The result of what the client does. Its errors become those of the AI SDK, not to be retried: the client has done so
 * with the same key, where that was safe.
 */
export async function asApiCall<T>(
  url: string,
  body: unknown,
  call: PromiseLike<T>,
  created?: Created,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const isOfService = error instanceof ApiError || error instanceof ConnectionError;
    throw isOfService ? apiCallError(url, body, error, created) : error;
  }
}

/** The same of a generation that was created: an error has its id, as it is paid for and goes on. */
export async function ofCreated<T>(
  url: string,
  id: string,
  { abortSignal }: SdkCall,
  call: PromiseLike<T>,
  body?: unknown,
): Promise<T> {
  return asApiCall(url, body, call, { id, state: "goes on" }).catch((error: unknown) => {
    if (!abortSignal?.aborted || error instanceof APICallError) throw error;
    throw new WaitStoppedError(id, `Its result will be at ${url}.`, error);
  });
}

function apiCallError(
  url: string,
  body: unknown,
  cause: ApiError | ConnectionError,
  created: Created | undefined,
): APICallError {
  const message = inOwnWords(cause.message);
  const call = { message, url, requestBodyValues: withSizes(body), cause, isRetryable: false };
  const ofGeneration = created && { generation_id: created.id };
  if (cause instanceof ConnectionError) {
    const goesOn = created ? ` ${created.id} was created, and ${created.state}.` : "";
    const data = { details: { ...ofGeneration } };
    return new APICallError({ ...call, message: `${message.replace(/\.?$/, ".")}${goesOn}`, data });
  }
  const { status, headers, type, code, param, docUrl, requestId, errors, body: answer } = cause;
  const details = { ...ofGeneration, ...cause.details };
  return new APICallError({
    ...call,
    statusCode: status,
    responseHeaders: Object.fromEntries(headers),
    responseBody: typeof answer === "string" ? answer : JSON.stringify(answer),
    data: { type, code, param, docUrl, requestId, details, errors },
  });
}

/** What is paid for is worth another download where one breaks. */
const MAX_DOWNLOADS = 3;

/** The file of an output. An error has the id of its generation. */
export async function bytesOf(
  client: Client,
  { id, url }: { id: string; url: string },
  { abortSignal }: SdkCall,
): Promise<Uint8Array> {
  const download = async (attempt: number): Promise<Uint8Array> => {
    const response = await client.download({ url }, abortSignal ? { signal: abortSignal } : {});
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (abortSignal?.aborted) throw cause;
      if (attempt < MAX_DOWNLOADS) return download(attempt + 1);
      throw new ConnectionError(`The file broke off: ${(cause as Error).message}`, { cause });
    }
  };
  return asApiCall(url, undefined, download(1), { id, state: "has succeeded" });
}

/** What the AI SDK tells of the answer that this generation is of. */
export function responseOf(
  generation: Result<Video | Image>,
  modelId: string,
): { timestamp: Date; modelId: string; headers: Record<string, string> } {
  const { created_at: createdAt, lastResponse } = generation;
  const headers = Object.fromEntries(lastResponse.headers);
  return { timestamp: new Date(createdAt), modelId, headers };
}

/** The client's options, and the service's paths, by their names here. */
export function inOwnWords(text: string): string {
  return text
    .replaceAll("createClient", "createMediaGeneration")
    .replaceAll(/\bbaseUrl\b/g, "baseURL")
    .replace(OTHER_ROUTE, "of this kind. Give it to $1(…) of the provider");
}

const OTHER_ROUTE = /of this route\. Send it to POST \/v1\/(video|image)s\/generations/;

/** A request for errors and logs: pictures by their size only. */
function withSizes(value: unknown): unknown {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.map(withSizes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withSizes(each)]));
}

/** What became of a generation that did not succeed. */
export function faultOf({ id, status, error }: Video | Image): string {
  return `${id} ${status}: ${error?.message ?? "nothing is charged."}`;
}

/** The error of a generation that failed or was canceled, in the form of an error response. */
export function generationError(
  url: string,
  generation: Result<Video | Image>,
  message: string,
): APICallError {
  const { id, status, error, lastResponse } = generation;
  const code = error?.code ?? status;
  return new APICallError({
    message,
    url,
    requestBodyValues: undefined,
    isRetryable: false,
    statusCode: GENERATION_STATUSES[code] ?? lastResponse.status,
    responseHeaders: Object.fromEntries(lastResponse.headers),
    responseBody: JSON.stringify(generation),
    data: {
      type: "generation_error",
      code,
      docUrl: pageOf(url, code),
      requestId: lastResponse.requestId,
      details: { generation_id: id },
      errors: [],
    },
  });
}

/**
 * The results of the creates that one call makes, with a warning for each that failed, so that what is paid for is not lost.
 * Throws if all failed: the first error, whose message has those of all. Of an aborted call it is one that has an id, or
 * the reason as it is.
 */
export async function allThatSucceed<T>(
  warnings: SharedV4Warning[],
  creates: readonly Promise<T>[],
): Promise<[T, ...T[]]> {
  const settled = await Promise.allSettled(creates);
  const made = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  // The reason of an aborted call is one for all of it.
  const reasons = settled.flatMap((each): unknown[] =>
    each.status === "rejected" ? [each.reason] : [],
  );
  const errors = [...new Set(reasons)];
  const messages = errors.map((error) => (error as Error | null)?.message ?? String(error));
  const [first, ...others] = made;
  if (first === undefined) {
    if (errors.length === 0) throw new Error("Nothing was asked for.");
    const error = errors.find((each) => each instanceof WaitStoppedError) ?? errors[0];
    if (messages.length > 1 && error instanceof Error && Object.hasOwn(error, "message"))
      error.message = messages.join("\n");
    throw error;
  }
  warnings.push(...messages.map((message): SharedV4Warning => ({ type: "other", message })));
  return [first, ...others];
}
