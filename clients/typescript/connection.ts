/** The client's HTTP layer: sends typed requests with retries, and turns responses into data or errors. */
import createOpenApiClient from "openapi-fetch";
import type { Client as OpenApiClient } from "openapi-fetch";
import type { paths } from "#gen/openapi/media.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import { systemTiming } from "./retry.ts";
import type { Timing } from "./retry.ts";
import { send } from "./send.ts";
import type { Fetch } from "./send.ts";

export type ClientOptions = {
  /** Keep it on servers: anyone who has it can spend your Tokens. */
  apiKey: string;
  /** The service's URL with the API version, e.g. https://media.example.com/v1. */
  baseUrl: string;
  /** Replaces the runtime's `fetch`. */
  fetch?: Fetch;
  /** Attempts of one call, including the first. Default 4; 1 disables retries. */
  maxAttempts?: number;
  /** Time limit for one attempt, including its body. Default 30,000, and 150,000 for createImage. */
  timeoutMs?: number;
  /** For tests. */
  timing?: Partial<Timing>;
};

export type CallOptions = { signal?: AbortSignal; timeoutMs?: number };

type SendOptions = CallOptions & { isRepeatable: boolean; extraMs?: number };
type Result<T> = { data?: T; error?: unknown; response: Response };

export type Connection = {
  http: OpenApiClient<paths, `${string}/${string}`>;
  timing: Timing;
  /** The openapi-fetch options that set how a request is sent; `extraMs` is added to its time limit. */
  sendOptions: (sending: SendOptions) => { fetch: (request: Request) => Promise<Response> };
  /** The body of a successful response; undefined where it has none. Throws ApiError for any other. */
  dataOf: <T>(answer: Promise<Result<T>>) => Promise<T>;
  /** Like dataOf; `isHeld` is whether the service honoured `Prefer: wait`. */
  dataAndHold: <T>(answer: Promise<Result<T>>) => Promise<{ generation: T; isHeld: boolean }>;
};

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const NO_CONTENT = 204;

export function openConnection(options: ClientOptions): Connection {
  const timing = { ...systemTiming, ...options.timing };
  const fetch: Fetch = options.fetch ?? ((request, init) => globalThis.fetch(request, init));
  const deps = { fetch, timing, maxAttempts: options.maxAttempts ?? MAX_ATTEMPTS };
  const http = createOpenApiClient<paths>({
    baseUrl: options.baseUrl,
    headers: { authorization: `Bearer ${options.apiKey}` },
  });
  return {
    http,
    timing,
    sendOptions: ({
      isRepeatable,
      signal,
      timeoutMs = options.timeoutMs ?? TIMEOUT_MS,
      extraMs = 0,
    }) => {
      const policy = { isRepeatable, timeoutMs: timeoutMs + extraMs, signal };
      return { fetch: (request) => send(deps, policy, request) };
    },
    dataOf: async (answer) => (await successOf(answer)).data,
    dataAndHold: async (answer) => {
      const { data, response } = await successOf(answer);
      return { generation: data, isHeld: response.headers.has("preference-applied") };
    },
  };
}

async function successOf<T>(pending: Promise<Result<T>>): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await pending.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ConnectionError("The response is not JSON: check baseUrl, which must end with /v1", {
      cause,
    });
  });
  // An answer without a body has no data.
  if (!response.ok || (data === undefined && response.status !== NO_CONTENT))
    throw new ApiError(response, error);
  return { data: data as T, response };
}
