/** An answer that says no, with what the server said to the person. */

type Said = { code?: unknown; message?: unknown; param?: unknown; request_id?: unknown };

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** The field at fault, where there is one. */
  readonly param: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, said: Said) {
    super(text(said.message) ?? "The server could not be understood. Try again in a moment.");
    this.status = status;
    this.code = text(said.code) ?? "unknown";
    this.param = text(said.param);
    this.requestId = text(said.request_id);
  }
}

/** Reads `{"error": {…}}` of the service's own routes, and the flat form of the sign-in routes. */
export function refusalOf(status: number, body: unknown): Refusal {
  const object = (typeof body === "object" && body !== null ? body : {}) as Said & {
    error?: unknown;
  };
  const inner = object.error;
  return new Refusal(
    status,
    typeof inner === "object" && inner !== null ? (inner as Said) : object,
  );
}

/** What to tell the person about any error. */
export function messageOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return "The server cannot be reached. Check your connection and try again.";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
