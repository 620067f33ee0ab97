/** The client's HTTP layer: sends requests with retries, and turns responses into results or errors. */
import type { paths } from "../../../gen/openapi/media.ts";
import packageJson from "../package.json" with { type: "json" };
import { parseJson, UNKNOWN_CODE, type ApiError } from "./api-error.ts";
import { ApiPromise, type Answer } from "./api-promise.ts";
import { ArgumentError, ConnectionError, errorOf } from "./errors.ts";
import { listing, type Listing } from "./pages.ts";
import { systemTiming, type Timing } from "./retry.ts";
import { send, type Fetch, type Policy, type RequestEvent } from "./send.ts";
import { apiKeyOf, BASE_HINT, serviceUrl } from "./settings.ts";

export type ClientOptions = {
  /** Keep it on servers: anyone who has it can spend your Tokens. Default: the environment variable `MEDIA_API_KEY`. */
  apiKey?: string;
  /**
   * The service's URL, e.g. https://media.example.com/v1; `/v1` is added to one without a path. Default: the environment
   * variable `MEDIA_BASE_URL`, else the service from which npm installed the package.
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

/** The compiler keeps it complete. */
export const CLIENT_OPTIONS: Record<keyof ClientOptions, true> = {
  apiKey: true,
  baseUrl: true,
  fetch: true,
  headers: true,
  maxAttempts: true,
  timeoutMs: true,
  onRequest: true,
  timing: true,
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

export type CreateOptions = CallOptions & {
  /**
   * 1 to 191 characters: a create with the same one is made and charged once, after a crash too. By default a new one for each
   * call, used by all its attempts.
   */
  idempotencyKey?: string;
};

/**
 * `respondAsync` resolves with the pending image as soon as its price is reserved, as for a video, instead of holding the request
 * until the image is finished.
 */
export type CreateImageOptions<Async extends boolean = boolean> = CreateOptions & {
  respondAsync?: Async;
};

/**
 * `signal` and `waitMs` stop the waiting, not the generation; `timeoutMs` and `maxAttempts` are those of each read. A read is
 * repeated for as long as an outage may take, unless `maxAttempts` is given.
 */
export type WaitOptions<T> = CallOptions & {
  /** Called when the generation is first read, and whenever its status or progress has changed. What it throws ends the wait. */
  onProgress?: (generation: T) => void | Promise<void>;
  /** Interval between reads. Default 2,000 with `onProgress`, else 30,000; long polling reports the end at once. */
  pollMs?: number;
  /**
   * Limit for the whole wait, which begins when the create is accepted; then WaitStoppedError. An outage of the service ends the
   * wait only then. Default: none, and an outage of a minute ends it.
   */
  waitMs?: number;
};

/** The compiler keeps it complete. */
export const CREATE_OPTIONS: Record<keyof CreateImageOptions, true> = {
  idempotencyKey: true,
  respondAsync: true,
  signal: true,
  timeoutMs: true,
  maxAttempts: true,
  headers: true,
};

/** Of all calls. */
export const CALL_OPTIONS: Record<keyof (CreateImageOptions & WaitOptions<never>), true> = {
  ...CREATE_OPTIONS,
  pollMs: true,
  onProgress: true,
  waitMs: true,
};

/** How an operation is sent, beside what the caller's options say. */
type Sending = Partial<Pick<Policy, "isRepeatable" | "isStreamed">> & {
  /** The operation's own time limit, where the caller gives none. */
  timeoutMs?: number;
  /** Added to the time limit. */
  extraMs?: number;
  /** In place of a number of attempts, where neither the caller nor the client has one. */
  outageMs?: number;
};

/** A request of the API: `GET`, unless it says another method. */
export type ApiCall = Sending & {
  method?: "POST" | "DELETE";
  path: keyof paths;
  /** In place of the `{id}` of the path. */
  id?: string;
  query?: object | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: object | Promise<object>;
  /** The fields that the client reads: an answer without them is not the API's. */
  needs?: readonly string[];
};

export type Connection = {
  baseUrl: string;
  timing: Timing;
  /** The body of a successful response; undefined where it has none. Rejects with ApiError for any other. */
  call: <Data>(request: ApiCall, options?: CallOptions) => ApiPromise<Data>;
  /** The response of a URL, once it begins; it gets no API key. Rejects with ApiError for an error response. */
  open: (url: string, options?: CallOptions) => Promise<Response>;
  /** The items of a path, page by page; a filter may have Dates. */
  list: <Item extends { id: string }>(
    path: keyof paths,
    filter?: object,
    options?: CallOptions,
  ) => Listing<Item>;
};

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Node 20 does not say its name as the others do. */
const NODE = (globalThis as { process?: Partial<NodeJS.Process> }).process?.versions?.node;
const RUNTIME = globalThis.navigator?.userAgent ?? (NODE ? `Node.js/${NODE}` : "unknown runtime");
const USER_AGENT = `${packageJson.name}/${packageJson.version} (${RUNTIME})`;

/** Throws ArgumentError for an option that is not among the known, or has a wrong value: not every program is compiled. */
export function checkOptions(options: object, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null)
    throw new ArgumentError("Give the options as one object, such as { maxAttempts: 1 }.");
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) {
      const meant = names.find((each) => each.toLowerCase() === name.toLowerCase());
      const hint = meant ? ` Did you mean ${meant}?` : "";
      throw new ArgumentError(`There is no option ${name}.${hint} There are ${names.join(", ")}.`);
    }
    const given = typeof value === "string" ? JSON.stringify(value) : String(value as number);
    // No header could have it.
    if (name === "idempotencyKey" && typeof value === "string" && /[^ -~]/.test(value))
      throw new ArgumentError(`${name} takes printable ASCII characters only, not ${given}.`);
    if (name.startsWith("on") && typeof value !== "function")
      throw new ArgumentError(`${name} takes a function, not ${given}.`);
    if (name === "signal" && value !== null && !(value instanceof AbortSignal))
      throw new ArgumentError(`signal takes an AbortSignal, not ${given}.`);
    if (name === "maxAttempts" && Number(value) % 1 > 0)
      throw new ArgumentError(`${name} takes a whole number, not ${given}.`);
    const [least, most] = name === "maxAttempts" ? [1, Infinity] : [0, MAX_TIMER_MS];
    const isNumber = typeof value === "number" && value >= least && value <= most;
    if ((name === "maxAttempts" || name.endsWith("Ms")) && !isNumber)
      throw new ArgumentError(`${name} takes a number from ${least} to ${most}, not ${given}.`);
  }
}

/** Throws ArgumentError for an option that there is not, and where URL or key are missing or cannot be right. */
export function openConnection(options: ClientOptions): Connection {
  checkOptions(options, CLIENT_OPTIONS);
  const baseUrl = serviceUrl(options.baseUrl);
  const authorization = `Bearer ${apiKeyOf(options.apiKey)}`;
  const timing = { ...systemTiming, ...options.timing };
  const fetch: Fetch = options.fetch ?? ((request, init) => globalThis.fetch(request, init));

  const sent = (request: Request, operation: Sending, caller: CallOptions) => {
    checkOptions(caller, CALL_OPTIONS);
    const { timeoutMs, extraMs = 0, isRepeatable = true, isStreamed, outageMs } = operation;
    const attempts = caller.maxAttempts ?? options.maxAttempts;
    const limitMs = caller.timeoutMs ?? timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
    const policy = {
      isRepeatable,
      isStreamed,
      timeoutMs: Math.min(limitMs + extraMs, MAX_TIMER_MS),
      maxAttempts: attempts ?? (outageMs === undefined ? MAX_ATTEMPTS : Infinity),
      outageMs: outageMs ?? Infinity,
      signal: caller.signal,
    };
    return send({ fetch, timing, onRequest: options.onRequest }, policy, request);
  };

  const answerTo = async <Data>(request: ApiCall, caller: CallOptions): Promise<Answer<Data>> => {
    const { method = "GET", path, id, query, isStreamed, needs = [] } = request;
    const url = `${baseUrl}${pathOf(path, id)}${queryOf(query)}`;
    const asked = `${method} ${url}`;
    const body = await request.body;
    const isJson = body !== undefined && !(body instanceof FormData);
    const headers = headersOf([
      { "user-agent": USER_AGENT, authorization },
      isJson ? { "content-type": "application/json" } : {},
      options.headers,
      caller.headers,
      request.headers,
    ]);
    // A redirect to another host would lose the key, and one of a create its body.
    const init: RequestInit = { method, headers, redirect: "manual" };
    if (body !== undefined) init.body = isJson ? JSON.stringify(body) : body;
    const sending = sent(new Request(url, init), request, caller);
    const isCreate = method === "POST" && path.endsWith("/generations");
    const named = (error: unknown) => {
      if (isCreate && error instanceof ConnectionError && error.wasSent)
        error.message = `${error.message.replace(/\.$/, "")}. The create may have been accepted: one with idempotencyKey "${headers.get("idempotency-key")}" gets the same.`;
      return error;
    };
    const { response, text } = await sending.catch((error) => Promise.reject(named(error)));
    const to = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && to !== null)
      throw new ConnectionError(
        `${asked} redirects to ${to}, which is not followed. Correct baseUrl.`,
      );
    if (!response.ok) throw explained(errorOf(response, text), asked);
    const data = parseJson(text) as Data;
    const isDeleted = method === "DELETE" && response.status === 204;
    const hasFields = Object(data) === data && needs.every((name) => name in Object(data));
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (isStreamed ? isStream : isDeleted || hasFields) return { data, response };
    throw named(new ConnectionError(`The answer to ${asked} is not one of the API. ${BASE_HINT}`));
  };

  const call: Connection["call"] = (request, caller = {}) =>
    new ApiPromise(answerTo(request, caller));
  return {
    baseUrl,
    timing,
    call,
    open: async (url, caller = {}) => {
      const request = new Request(url, { headers: headersOf([caller.headers]) });
      const { response, text } = await sent(request, { isStreamed: true }, caller);
      if (response.ok) return response;
      throw errorOf(response, text);
    },
    list: (path, filter, caller) =>
      listing((after) => {
        const query = { ...filter, ...(after && { after }) };
        return call({ path, query, needs: ["data", "has_more"] }, caller);
      }),
  };
}

/** Throws ArgumentError for an id that is none: the path would be that of the list. */
function pathOf(path: string, id: unknown): string {
  if (!path.includes("{id}")) return path;
  if (typeof id === "string" && id !== "") return path.replace("{id}", encodeURIComponent(id));
  if (typeof id === "object" && id !== null) throw new ArgumentError("Give the id: video.id.");
  throw new ArgumentError(`The id must be a text that is not empty; it is ${JSON.stringify(id)}.`);
}

function queryOf(query: object = {}): string {
  const sent = new URLSearchParams();
  const values = Object.entries(query) as [string, string | number | Date | null | undefined][];
  for (const [name, value] of values)
    if (value !== undefined && value !== null)
      sent.set(name, value instanceof Date ? (value.toJSON() ?? String(value)) : String(value));
  // Older runtimes have no `size` of it.
  const text = sent.toString();
  return text && `?${text}`;
}

/** Later ones win; one without a value is not sent. */
function headersOf(all: readonly CallOptions["headers"][]): Headers {
  const headers = new Headers();
  for (const each of all)
    for (const [name, value] of Object.entries<string | undefined>(each ?? {}))
      if (value !== undefined) headers.set(name, value);
  return headers;
}

/** The client asks for no path that the service does not have: it is the base URL that is wrong, as of a web site. */
function explained(error: ApiError, asked: string): ApiError {
  const isOfAnother = [404, 405].includes(error.status) && error.code === UNKNOWN_CODE;
  if (error.code === "route_not_found" || isOfAnother)
    error.message += ` It answers ${asked}. ${BASE_HINT}`;
  return error;
}
