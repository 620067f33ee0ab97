/** What every error of the client is, and the one that is a TypeError too. */

/** Every error that the client throws itself; an aborted `signal` throws its own reason. */
export class MediaError extends Error {
  /** The generation that the error is about, where there is one: it was created, and may be going on. */
  declare readonly generationId?: string;

  /** An ArgumentError is one: it was a TypeError before there was this class, and stays one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isOfClass = Function.prototype[Symbol.hasInstance].call(this, value);
    return isOfClass || (this === MediaError && value instanceof ArgumentError);
  }
}

/** A wrong argument of a call, or option of the client: nothing was sent. */
export class ArgumentError extends TypeError {
  override readonly name = "ArgumentError";
}

/** The error; if it is one of the client's, it says the generation. */
export function withGenerationId(error: unknown, generationId: string): unknown {
  return error instanceof MediaError ? Object.assign(error, { generationId }) : error;
}
