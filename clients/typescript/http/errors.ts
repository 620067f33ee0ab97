/** The errors that the client throws. */
import { ApiError, MediaError, parseJson, problemOf } from "./api-error.ts";
import { ERROR_CLASSES, STATUS_TYPES } from "./error-classes.ts";

/** A wrong argument of a call, or option of the client: nothing was sent. */
export class ArgumentError extends MediaError {
  override readonly name = "ArgumentError";
}

/** No response: the service is unreachable, or the connection broke. `cause` says which. */
export class ConnectionError extends MediaError {
  override readonly name: string = "ConnectionError";
  /** Whether the request may have reached the service: false if no attempt found its host and an open port. */
  wasSent = true;
}

/** No response within the time limit. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The generation that was waited for was canceled; nothing is charged. */
export class GenerationCanceledError extends MediaError {
  override readonly name = "GenerationCanceledError";
  override readonly generationId: string;

  constructor(generationId: string) {
    super(`${generationId} was canceled.`);
    this.generationId = generationId;
  }
}

/**
 * The wait for a generation was stopped, by `waitMs`, or by the `signal` or an error of the `onProgress` of a `createAndWait`; the
 * generation goes on. `cause` is the reason, whose name this error has: `AbortError`, `TimeoutError` or that of your own.
 */
export class WaitStoppedError extends MediaError {
  override readonly name: string;
  override readonly generationId: string;

  constructor(id: string, goOn: string, cause: unknown, by = "") {
    super(`The wait for ${id} was stopped${by}; the generation goes on. ${goOn}`, { cause });
    this.name = cause instanceof Error ? cause.name : "AbortError";
    this.generationId = id;
  }
}

/** A webhook that failed verification and must not be trusted. */
export class WebhookVerificationError extends MediaError {
  override readonly name = "WebhookVerificationError";
}

/** The error of an error response with that text, of the class of its type, or of its status where it has none. */
export function errorOf(response: Pick<Response, "status" | "headers">, text: string): ApiError {
  const body = parseJson(text) ?? text;
  const ofStatus = response.status < 500 ? STATUS_TYPES[response.status] : "api_error";
  const type = problemOf(body)?.type ?? ofStatus;
  // A type that was added after this version is an ApiError.
  const Known = type !== undefined && Object.hasOwn(ERROR_CLASSES, type) && ERROR_CLASSES[type];
  return Known ? new Known(response, body, type) : new ApiError(response, body);
}
