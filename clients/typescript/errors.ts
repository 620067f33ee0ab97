/** The errors that the client throws. */
import type { components } from "#gen/openapi/media.ts";

type Problem = components["schemas"]["Error"];
type Fault = components["schemas"]["Fault"];

/** The code of an error response without one, for example of a proxy. */
export const UNKNOWN_CODE = "unknown";

/** An error response of the service. `code` is stable and meant for programs, `message` for people. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: Problem["type"];
  readonly code: Problem["code"] | typeof UNKNOWN_CODE;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly details: NonNullable<Problem["details"]>;
  /** All faults of the request, where the service lists several; the error itself repeats the first. */
  readonly errors: readonly Fault[];

  constructor(response: Response, body: unknown) {
    const problem = problemOf(body);
    super(problem?.message ?? `HTTP ${response.status} without an error body of this service.`);
    this.status = response.status;
    this.type = problem?.type ?? "api_error";
    this.code = problem?.code ?? UNKNOWN_CODE;
    this.param = problem?.param;
    this.requestId = problem?.request_id ?? response.headers.get("request-id") ?? undefined;
    this.details = problem?.details ?? {};
    this.errors = problem?.errors ?? [];
  }
}

/** No response: the service is unreachable, the connection broke, or the time limit passed. `cause` says which. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** A webhook that failed verification and must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The `error` object of an error response's body; undefined for any other body. */
export function problemOf(body: unknown): Problem | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  const { error } = body;
  const isProblem = typeof error === "object" && error !== null && "code" in error;
  return isProblem ? (error as Problem) : undefined;
}
