/** An error response of the server, with its message for the user. */
import type { components } from "#gen/openapi/dashboard.ts";

type Details = components["schemas"]["ErrorDetails"];

type ErrorBody = {
  type?: unknown;
  code?: unknown;
  message?: unknown;
  param?: unknown;
  request_id?: unknown;
  details?: unknown;
};

export class Refusal extends Error {
  readonly status: number;
  readonly type: string | undefined;
  readonly code: string;
  /** The request field that is wrong, if there is one. */
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  /** What the code says more of. */
  readonly details: Details;

  constructor(status: number, body: ErrorBody) {
    super(text(body.message) ?? "The server's answer could not be read. Try again in a moment.");
    this.status = status;
    this.type = text(body.type);
    this.code = text(body.code) ?? "unknown";
    this.param = text(body.param);
    this.requestId = text(body.request_id);
    this.details = (body.details ?? {}) as Details;
  }
}

/** Reads both error formats: `{"error": {…}}` of the service's routes and the flat object of the sign-in routes. */
export function refusalOf(status: number, body: unknown): Refusal {
  const object = (typeof body === "object" && body !== null ? body : {}) as ErrorBody & {
    error?: unknown;
  };
  const inner = object.error;
  return new Refusal(
    status,
    typeof inner === "object" && inner !== null ? (inner as ErrorBody) : object,
  );
}

/** What the browser or its user did not do, in words for the user. */
export class BrowserRefusal extends Error {}

/** The text to show for any error. */
export function messageOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof BrowserRefusal) return error.message;
  return "The server cannot be reached. Check your connection and try again.";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
