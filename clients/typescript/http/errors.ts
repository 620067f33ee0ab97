/** The errors that the client throws. */
import { ApiError, problemOf } from "./api-error.ts";
import { ERROR_CLASSES } from "./error-classes.ts";

/** A wrong argument of a call, or option of the client: nothing was sent. */
export class ArgumentError extends TypeError {
  override readonly name = "ArgumentError";
}

/** No response: the service is unreachable, or the connection broke. `cause` says which. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
}

/** No response within the time limit. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The generation that was waited for was canceled; nothing is charged. */
export class GenerationCanceledError extends Error {
  override readonly name = "GenerationCanceledError";
  readonly generationId: string;

  constructor(generationId: string) {
    super(`${generationId} was canceled.`);
    this.generationId = generationId;
  }
}

/**
 * The wait for a generation was stopped, by the `signal` of a `createAndWait` or by `waitMs`; the generation goes on. `cause` is the
 * reason, whose name this error has: `AbortError`, `TimeoutError` or that of your own.
 */
export class WaitStoppedError extends Error {
  override readonly name: string;
  readonly generationId: string;

  constructor(generationId: string, goOn: string, cause: Error) {
    super(`The wait for ${generationId} was stopped; the generation goes on. ${goOn}`, { cause });
    this.name = cause.name;
    this.generationId = generationId;
  }
}

/** A webhook that failed verification and must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The error of an error response, of the class of its type. `body` is the response's JSON, if it is JSON. */
export function errorOf(response: Pick<Response, "status" | "headers">, body: unknown): ApiError {
  const type = problemOf(body)?.type;
  // A type that was added after this version is an ApiError.
  const isKnown = type !== undefined && Object.hasOwn(ERROR_CLASSES, type);
  return isKnown ? new ERROR_CLASSES[type](response, body) : new ApiError(response, body);
}
