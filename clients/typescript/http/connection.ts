/** The client's HTTP layer: sends typed requests with retries, and turns responses into results or errors. */
import createOpenApiClient, {
  defaultPathSerializer,
  type Client as OpenApiClient,
} from "openapi-fetch";
import type { paths } from "../../../gen/openapi/media.ts";
import { UNKNOWN_CODE, type ApiError } from "./api-error.ts";
import { ApiPromise, type Answer } from "./api-promise.ts";
import { listing, type Listing, type Page } from "./pages.ts";
import { apiUrl, BASE_HINT } from "./base-url.ts";
import { ArgumentError, ConnectionError, errorOf } from "./errors.ts";
import type { Refined } from "./types.ts";
import { systemTiming, type Timing } from "./retry.ts";
import { environmentVariable, userAgent } from "./runtime.ts";
import { send, type Fetch, type Policy, type RequestEvent } from "./send.ts";

export type ClientOptions = {
  /**
   * Keep it on servers: anyone who has it can spend your Tokens. Default: the environment variable `MEDIA_API_KEY`.
   */
  apiKey?: string;
  /**
   * The service's URL, e.g. https://media.example.com/v1; `/v1` is added to one without a path. Default: the environment
   * variable `MEDIA_BASE_URL`.
   */
  baseUrl?: string;
  /** Replaces the runtime's `fetch`, for example to use a proxy. */
  fetch?: Fetch;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Attempts of one call, including the first; 1 disables retries. Default 4; while a generation is waited for or
   * watched, as many as an outage of a minute takes.
   */
  maxAttempts?: number;
  /** Time limit for one attempt, including its body, in milliseconds. Default 30,000, and 150,000 for images.create. */
  timeoutMs?: number;
  /** Called after every attempt. It is told neither keys nor bodies. */
  onRequest?: (event: RequestEvent) => void;
  /** Tests replace it. */
  timing?: Partial<Timing>;
};

/** Options of one call; they override the client's. */
export type CallOptions = {
  /** Stops the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Time limit for one attempt, including its body, in milliseconds. */
  timeoutMs?: number;
  /** Attempts of this call, including the first; 1 disables retries. */
  maxAttempts?: number;
  /** Sent with this call. */
  headers?: Readonly<Record<string, string>>;
};

/** What the operation adds to the caller's options. */
export type Sending = Partial<Pick<Policy, "isRepeatable" | "isStreamed">> & {
  /** The operation's own time limit, where the caller gives none. */
  timeoutMs?: number;
  /** Added to the time limit. */
  extraMs?: number;
  /** In place of a number of attempts, where neither the caller nor the client has one. */
  outageMs?: number;
};

export type Connection = {
  http: OpenApiClient<paths, `${string}/${string}`>;
  timing: Timing;
  /** The options of openapi-fetch that say how a request is sent. */
  sending: (
    options?: CallOptions,
    operation?: Sending,
  ) => { fetch: (request: Request) => Promise<Response>; headers: Record<string, string> };
  /** The body of a successful response; undefined where it has none. Rejects with ApiError for any other. */
  answer: <Data>(pending: Promise<HttpAnswer<Data>>) => ApiPromise<Refined<Data>>;
  /** The items of a path, page by page; a filter may have Dates. */
  list: <Path extends ListPath>(
    path: Path,
    filter: object | undefined,
    options: CallOptions | undefined,
  ) => Listing<Refined<ItemOf<Path>>>;
};

type ListPath =
  | `/${"videos" | "images"}/generations`
  | "/files"
  | "/requests"
  | "/transactions"
  | "/webhooks/deliveries";
type ItemOf<Path extends ListPath> =
  paths[Path]["get"]["responses"][200]["content"]["application/json"]["data"][number];

/** Which request was answered. */
const requests = new WeakMap<Response, string>();
/** A copy with an unread body for each response whose body openapi-fetch reads. */
const unread = new WeakMap<Response, Response>();

type HttpAnswer<T> = { data?: T; error?: unknown; response: Response };

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const NO_CONTENT = 204;
/** How a web site answers what it does not have. */
const OTHER_STATUSES = new Set([404, 405]);

/** Throws ArgumentError where there is no option and no variable for the URL or the key, or they cannot be right. */
export function openConnection(options: ClientOptions): Connection {
  const url = required(options.baseUrl, "baseUrl", "MEDIA_BASE_URL");
  const baseUrl = apiUrl(url, options.baseUrl === undefined ? "MEDIA_BASE_URL" : "baseUrl");
  const apiKey = checkedKey(required(options.apiKey, "apiKey", "MEDIA_API_KEY"));
  const timing = { ...systemTiming, ...options.timing };
  const fetch: Fetch = options.fetch ?? ((request, init) => globalThis.fetch(request, init));
  const deps = { fetch, timing, onRequest: options.onRequest };
  const http = createOpenApiClient<paths>({
    baseUrl,
    headers: {
      "user-agent": userAgent(),
      authorization: `Bearer ${apiKey}`,
      ...options.headers,
    },
    querySerializer: queryOf,
    pathSerializer: pathOf,
    // A redirect to another host would lose the key, and one of a create its body.
    redirect: "manual",
  });
  const sending: Connection["sending"] = (
    call = {},
    { timeoutMs, extraMs = 0, isRepeatable = true, isStreamed, outageMs } = {},
  ) => {
    const limitMs = call.timeoutMs ?? timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
    const policy = {
      isRepeatable,
      isStreamed,
      timeoutMs: limitMs + extraMs,
      maxAttempts:
        call.maxAttempts ??
        options.maxAttempts ??
        (outageMs === undefined ? MAX_ATTEMPTS : Infinity),
      outageMs: outageMs ?? Infinity,
      signal: call.signal,
    };
    const fetchUnread = async (request: Request): Promise<Response> => {
      const response = await send(deps, policy, request);
      requests.set(response, `${request.method} ${request.url}`);
      // A stream is for the caller alone, and may be a file of any type.
      refuseRedirect(response);
      if (!isStreamed) unread.set(refusePage(response), response.clone());
      return response;
    };
    return { fetch: fetchUnread, headers: { ...call.headers } };
  };
  const answer: Connection["answer"] = <Data>(pending: Promise<HttpAnswer<Data>>) =>
    new ApiPromise(successOf(pending) as Promise<Answer<Refined<Data>>>);
  return {
    http,
    timing,
    sending,
    answer,
    list: <Path extends ListPath>(path: Path, filter?: object, options?: CallOptions) =>
      listing<Refined<ItemOf<Path>>>((after) => {
        const query = { ...filter, ...(after !== undefined && { after }) };
        const found = http.GET(path as ListPath, { params: { query }, ...sending(options) });
        return answer(found) as unknown as ApiPromise<Page<Refined<ItemOf<Path>>>>;
      }),
  };
}

/** Throws ArgumentError for an id that is none: the path would be that of the list. */
function pathOf(path: string, { id, ...rest }: Record<string, unknown>): string {
  if (typeof id === "string" && id !== "") return defaultPathSerializer(path, { id, ...rest });
  throw new ArgumentError(`The id must be a text that is not empty; it is ${JSON.stringify(id)}.`);
}

/** What a query can have. */
type QueryValue = string | number | boolean | Date | null | undefined;

function queryOf(query: object): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Record<string, QueryValue>)) {
    if (value === undefined || value === null) continue;
    sent.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return sent.toString();
}

function required(option: string | undefined, name: string, variable: string): string {
  const value = option ?? environmentVariable(variable);
  if (value) return value;
  throw new ArgumentError(
    `Give createClient the option ${name}, or set ${variable} in the environment.`,
  );
}

/** The key. Throws ArgumentError, which does not show it, for what cannot be one. */
export function checkedKey(key: string): string {
  if (/^[\w-]+$/.test(key)) return key;
  throw new ArgumentError(
    "The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.",
  );
}

/** Throws ConnectionError for a page of something else, such as a web site that answers every path. */
function refusePage(response: Response): Response {
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  if (!response.ok || !isPage) return response;
  const asked = requests.get(response);
  throw new ConnectionError(`${asked} was answered with a web page, not by the API. ${BASE_HINT}`);
}

/** Throws ConnectionError for a redirect, which only a wrong base URL has. */
function refuseRedirect(response: Response): void {
  const to = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || to === null) return;
  throw new ConnectionError(
    `${requests.get(response)} redirects to ${to}, which is not followed. Correct baseUrl.`,
  );
}

async function successOf<T>(
  pending: Promise<HttpAnswer<T>>,
): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await pending.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ConnectionError(`The response is not JSON. ${BASE_HINT}`, { cause });
  });
  // An answer without a body has no data.
  if (!response.ok || (data === undefined && response.status !== NO_CONTENT))
    throw explained(errorOf(response, error), response);
  refusePage(response);
  return { data: data as T, response: unread.get(response) ?? response };
}

/** The client asks for no path that the service does not have, so that it is the base URL that is wrong. */
function explained(error: ApiError, response: Response): ApiError {
  const isOfAnother = OTHER_STATUSES.has(error.status) && error.code === UNKNOWN_CODE;
  if (error.code === "route_not_found" || isOfAnother)
    error.message += ` It answers ${requests.get(response)}. ${BASE_HINT}`;
  return error;
}
