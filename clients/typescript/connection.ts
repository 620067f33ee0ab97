/** What the client's functions stand on: typed requests with their retries, and answers turned into data or errors. */
import createOpenApiClient from "openapi-fetch";
import type { Client as OpenApiClient } from "openapi-fetch";
import type { paths } from "#gen/openapi/media.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import { systemTiming } from "./retry.ts";
import type { Timing } from "./retry.ts";
import { send } from "./send.ts";
import type { Fetch } from "./send.ts";

export type ClientOptions = {
  /** For servers only: whoever has it spends your Tokens. */
  apiKey: string;
  /** The service's base address, its version included, e.g. https://media.example.com/v1. */
  baseUrl: string;
  /** Instead of the runtime's own. */
  fetch?: Fetch;
  /** Of one call, the first included. Default 4; 1 never repeats. */
  maxAttempts?: number;
  /** For each attempt's whole answer. Default 30,000, and 150,000 for createImage. */
  timeoutMs?: number;
  /** For tests. */
  timing?: Partial<Timing>;
};

export type CallOptions = { signal?: AbortSignal; timeoutMs?: number };

type Sending = CallOptions & { isRepeatable: boolean; extraMs?: number };
type Answer<T> = { data?: T; error?: unknown; response: Response };

export type Connection = {
  http: OpenApiClient<paths, `${string}/${string}`>;
  timing: Timing;
  /** The part of a request's options that says how it is sent; `extraMs` is added to the time it may take. */
  sendAs: (sending: Sending) => { fetch: (request: Request) => Promise<Response> };
  /** The body of a success; throws ApiError for any other answer. */
  dataOf: <T>(answer: Promise<Answer<T>>) => Promise<T>;
  /** As dataOf, and whether the service held its answer as it was asked to. */
  held: <T>(answer: Promise<Answer<T>>) => Promise<{ generation: T; isHeld: boolean }>;
};

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;

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
    sendAs: ({
      isRepeatable,
      signal,
      timeoutMs = options.timeoutMs ?? TIMEOUT_MS,
      extraMs = 0,
    }) => {
      const policy = { isRepeatable, timeoutMs: timeoutMs + extraMs, signal };
      return { fetch: (request) => send(deps, policy, request) };
    },
    dataOf: async (answer) => (await settled(answer)).data,
    held: async (answer) => {
      const { data, response } = await settled(answer);
      return { generation: data, isHeld: response.headers.has("preference-applied") };
    },
  };
}

async function settled<T>(pending: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await pending.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ConnectionError("The answer is not JSON: check baseUrl, which ends with /v1", {
      cause,
    });
  });
  if (data === undefined) throw new ApiError(response, error);
  return { data, response };
}
