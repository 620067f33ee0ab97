/** An error response of the server, with its message for the user. */
import type { components } from "#gen/openapi/dashboard.ts";

type Details = components["schemas"]["ErrorDetails"];
type Problem = { details?: Details; errors?: readonly Problem[] } & {
  [Field in "type" | "code" | "message" | "param" | "request_id"]?: string;
};

export class Refusal extends Error {
  readonly status: number;
  readonly type: string | undefined;
  readonly code: string;
  /** The field that is wrong, where it is one. */
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  /** All that is wrong. */
  readonly faults: readonly Problem[];
  /** What the code says more of. */
  readonly details: Details;

  constructor(status: number, problem: Problem) {
    super(problem.message || "The server's answer could not be read. Try again in a moment.");
    this.status = status;
    this.type = problem.type;
    this.code = problem.code ?? "unknown";
    this.param = problem.param;
    this.requestId = problem.request_id;
    this.faults = problem.errors ?? [problem];
    this.details = problem.details ?? {};
  }
}

/** Reads both error formats: `{"error": {…}}` of the service's routes and the flat object of the sign-in routes. */
export function refusalOf(status: number, body: unknown): Refusal {
  const flat = (body ?? {}) as Problem & { error?: Problem };
  return new Refusal(status, typeof flat.error === "object" ? flat.error : flat);
}

/** What the browser or its user did not do, in words for the user. */
export class BrowserRefusal extends Error {}

/** The text to show beside the field of this name: it need not say which field; nothing for an error of something else. */
export function messageAt(name: string | undefined, error: unknown): string {
  const faults = error instanceof Refusal && name !== undefined ? error.faults : [];
  const { message = "" } = faults.find(({ param }) => param === name) ?? {};
  const start = [`${name}: `, `${name} `].find((one) => message.startsWith(one)) ?? "";
  const text = message.slice(start.length);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The text to show for any error. */
export function messageOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof BrowserRefusal) return error.message;
  return "The server cannot be reached. Check your connection and try again.";
}
