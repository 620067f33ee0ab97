/** What both kinds of models do with a call: its headers, its idempotency key and its errors. */
import { APICallError, type SharedV4Warning } from "@ai-sdk/provider";
import {
  ApiError,
  ConnectionError,
  type CallOptions,
  type CreateOptions,
  type Result,
  type Video,
} from "../typescript/index.ts";
import packageJson from "./package.json" with { type: "json" };

/** The AI SDK makes one call for all that is wanted, so that each part of it gets a key of its own here. */
export const MAX_PER_CALL = Number.MAX_SAFE_INTEGER;

type SdkCall = {
  headers?: Record<string, string | undefined>;
  abortSignal?: AbortSignal | undefined;
};

/** The options of a call that creates nothing. */
export function callOptions({ headers, abortSignal }: SdkCall): CallOptions {
  const sent = Object.fromEntries(headersOf(headers).filter(([name]) => name !== KEY_HEADER));
  const agent = [sent["user-agent"], `${packageJson.name}/${packageJson.version}`];
  return {
    headers: { ...sent, "user-agent": agent.filter(Boolean).join(" ") },
    ...(abortSignal && { signal: abortSignal }),
  };
}

/**
 * The options of the create with that index. A key in the call's headers is that of the first; the others add their index, so
 * that the call repeated makes and charges nothing more.
 */
export function createOptions(call: SdkCall, index: number): CreateOptions {
  const [, key] = headersOf(call.headers).find(([name]) => name === KEY_HEADER) ?? [];
  if (key === undefined) return callOptions(call);
  return { ...callOptions(call), idempotencyKey: index === 0 ? key : `${key}-${index}` };
}

const KEY_HEADER = "idempotency-key";

function headersOf(headers: SdkCall["headers"] = {}): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as [string, string]],
  );
}

/**
 * The result of what the client does. Its errors become those of the AI SDK, not to be retried: the client has done so
 * with the same key, where that was safe.
 */
export async function asApiCall<T>(url: string, body: unknown, call: PromiseLike<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isOfService(error) ? apiCallError(url, body, error) : error;
  }
}

function isOfService(error: unknown): error is ApiError | ConnectionError {
  return error instanceof ApiError || error instanceof ConnectionError;
}

function apiCallError(
  url: string,
  requestBodyValues: unknown,
  cause: ApiError | ConnectionError,
): APICallError {
  const { message } = cause;
  const call = { message, url, requestBodyValues, cause, isRetryable: false };
  if (cause instanceof ConnectionError) return new APICallError(call);
  const { status, headers, type, code, param, requestId, details, errors } = cause;
  return new APICallError({
    ...call,
    statusCode: status,
    responseHeaders: Object.fromEntries(headers),
    data: { type, code, param, requestId, details, errors },
  });
}

/** The error of a video that failed or was canceled, in the form of an error response about a failed image. */
export function generationError(url: string, video: Result<Video>, message: string): APICallError {
  const { id, status, error, lastResponse } = video;
  return new APICallError({
    message,
    url,
    requestBodyValues: undefined,
    isRetryable: false,
    statusCode: lastResponse.status,
    responseHeaders: Object.fromEntries(lastResponse.headers),
    data: {
      type: "generation_error",
      code: error?.code ?? status,
      requestId: lastResponse.requestId,
      details: { generation_id: id },
      errors: [],
    },
  });
}

/**
 * The results of the creates that one call makes, with a warning for each that failed, so that what is paid for is not lost.
 * Throws the error of the first where all failed.
 */
export async function allThatSucceed<T>(
  warnings: SharedV4Warning[],
  creates: readonly Promise<T>[],
): Promise<[T, ...T[]]> {
  const settled = await Promise.allSettled(creates);
  const made = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const errors = settled.flatMap((each) =>
    each.status === "rejected" ? [each.reason as Error] : [],
  );
  const [first, ...others] = made;
  if (first === undefined) throw errors[0];
  warnings.push(...errors.map(({ message }): SharedV4Warning => ({ type: "other", message })));
  return [first, ...others];
}
