/** The promise of a call: resolves with its result, and gives the HTTP response to those who ask for it. */

/** The HTTP side of a result. */
export type LastResponse = {
  readonly status: number;
  readonly headers: Headers;
  /** Name it when you ask for help. */
  readonly requestId: string | undefined;
};

/** A result; `lastResponse` is not enumerable, so that it is neither compared nor serialised. */
export type Result<T> = T extends object ? T & { readonly lastResponse: LastResponse } : T;

export type WithResponse<T> = {
  data: Result<T>;
  /** Its body has not been read. */
  response: Response;
  requestId: string | undefined;
};

export type Answer<T> = { data: T; response: Response };

/** Awaited like any promise. Nothing is sent a second time by `withResponse` and `asResponse`. */
export class ApiPromise<T> extends Promise<Result<T>> {
  readonly #answer: Promise<WithResponse<T>>;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(answer: Promise<Answer<T>>) {
    // `then` below never uses this value.
    super((resolve) => resolve(undefined as never));
    this.#answer = answer.then(({ data, response }) => {
      const { status, headers } = response;
      const requestId = headers.get("request-id") ?? undefined;
      const lastResponse: LastResponse = { status, headers, requestId };
      if (typeof data === "object" && data !== null)
        Object.defineProperty(data, "lastResponse", { value: lastResponse });
      return { data: data as Result<T>, response, requestId };
    });
  }

  /** The result together with the HTTP response and its request id. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  /** The HTTP response, with its body unread. Error responses are thrown as ApiError here too. */
  asResponse(): Promise<Response> {
    return this.#answer.then(({ response }) => response);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<Fulfilled = Result<T>, Rejected = never>(
    onFulfilled?: ((value: Result<T>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }
}
