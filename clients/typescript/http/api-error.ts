/** What every error of the client is, and that of every error response; the classes of its types are generated from the document. */
import type { components } from "../../../gen/openapi/media.ts";

export type Problem = components["schemas"]["Error"];
export type Fault = components["schemas"]["Fault"];

/** Every error that the client throws itself; an aborted `signal` throws its own reason. */
export class MediaError extends Error {
  /** The generation that the error is about, where there is one: it was created, and may be going on. */
  declare readonly generationId?: string;
}

/** The error; if it is one of the client's, it says the generation. */
export function withGenerationId(error: unknown, generationId: unknown): unknown {
  const isKnown = error instanceof MediaError && typeof generationId === "string";
  return isKnown ? Object.assign(error, { generationId }) : error;
}

/** The code of an error response without one, for example of a proxy. */
export const UNKNOWN_CODE = "unknown";

/**
 * An error response of the service: an instance of the class of its `type` where this version knows that type. `code`
 * is stable and meant for programs, `message` for people.
 */
export class ApiError extends MediaError {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly headers: Headers;
  readonly type: Problem["type"];
  readonly code: Problem["code"] | typeof UNKNOWN_CODE;
  /** The field, header or query parameter at fault. */
  readonly param: string | undefined;
  /** The page about the code. */
  readonly docUrl: string | undefined;
  /** Name it when you ask for help. */
  readonly requestId: string | undefined;
  readonly details: NonNullable<Problem["details"]>;
  /** All faults of the request, where the service lists several: the message has those of all, the other fields are of the first. */
  readonly errors: readonly Fault[];
  /** The body of the response: what its JSON says, else its text. Not enumerable: the fields above are of it. */
  declare readonly body: unknown;

  /** `type` is that of a body without one. */
  constructor(
    { status, headers }: Pick<Response, "status" | "headers">,
    body: unknown,
    type: Problem["type"] = "api_error",
  ) {
    const problem = problemOf(body);
    super(problem ? messageOf(problem) : `HTTP ${status} without an error body of this service.`);
    this.status = status;
    this.headers = headers;
    this.type = problem?.type ?? type;
    this.code = problem?.code ?? UNKNOWN_CODE;
    this.param = problem?.param;
    this.docUrl = problem?.doc_url;
    this.requestId = problem?.request_id ?? headers.get("request-id") ?? undefined;
    this.details = problem?.details ?? {};
    this.errors = problem?.errors ?? [];
    Object.defineProperty(this, "body", { value: body });
    withGenerationId(this, this.details.generation_id);
  }

  /** For logs: the message with what to name when you ask for help. */
  override toString(): string {
    return `${super.toString()} (code ${this.code}, request ${this.requestId ?? "without an id"})`;
  }
}

/** A sentence for each fault: one that is fixed alone would be followed by the next. */
function messageOf({ message, errors }: Problem): string {
  return errors && errors.length > 1 ? errors.map((fault) => fault.message).join(" ") : message;
}

/** The `error` object of an error response's body; undefined for any other body. */
export function problemOf(body: unknown): Problem | undefined {
  const { error } = Object(body) as { error?: Partial<Problem> | null };
  return typeof error?.code === "string" ? (error as Problem) : undefined;
}

/** Undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
