/** What the client throws: the service's refusals, its silence, and answers that are no answers of it. */
import type { components } from "#gen/openapi/media.ts";

type Problem = components["schemas"]["Error"];
type Fault = components["schemas"]["Fault"];

/** Stands for the code where an answer carries none, as from a proxy in between. */
export const UNKNOWN_CODE = "unknown";

/** The service answered with an error. `code` is stable and meant for code, `message` for a person. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: Problem["type"];
  readonly code: Problem["code"] | typeof UNKNOWN_CODE;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly details: NonNullable<Problem["details"]>;
  /** Every fault, where there are several; the error itself is the first. */
  readonly errors: readonly Fault[];

  constructor(response: Response, body: unknown) {
    const problem = problemOf(body);
    super(problem?.message ?? `The answer is HTTP ${response.status} and not one of this service.`);
    this.status = response.status;
    this.type = problem?.type ?? "api_error";
    this.code = problem?.code ?? UNKNOWN_CODE;
    this.param = problem?.param;
    this.requestId = problem?.request_id ?? response.headers.get("request-id") ?? undefined;
    this.details = problem?.details ?? {};
    this.errors = problem?.errors ?? [];
  }
}

/** No answer came: the address cannot be reached, the connection broke, or the time was up. `cause` says which. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** A webhook that must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The `error` of an error's body; undefined where the body is of another shape. */
export function problemOf(body: unknown): Problem | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  const { error } = body;
  const isProblem = typeof error === "object" && error !== null && "code" in error;
  return isProblem ? (error as Problem) : undefined;
}
