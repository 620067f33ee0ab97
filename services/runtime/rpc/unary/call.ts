/** A unary call as interceptors and handlers have it, whatever carries it: memory or HTTP. */
import type {
  DescMessage,
  DescMethod,
  DescMethodUnary,
  Message,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  createServiceImplSpec,
  type ConnectRouter,
  type ContextValues,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { trailerMux } from "@connectrpc/connect/protocol-connect";
import { openLifetime, type Lifetime } from "./lifetime.ts";

export type Routes = (router: ConnectRouter) => unknown;
export type Step = ReturnType<Interceptor>;
export type Response = Awaited<ReturnType<Step>>;
export type Method = DescMethodUnary<DescMessage, DescMessage>;

/** Makes the message of what a caller or a handler gave. */
export type MakeMessage = <T extends DescMessage>(
  schema: T,
  init: MessageInitShape<T>,
) => MessageShape<T>;

type Implementation = Extract<MethodImplSpec, { kind: "unary" }>["impl"];

/** The handlers of unary methods. */
export type Implementations = ReadonlyMap<DescMethod, Implementation>;

type Unary = (...call: Parameters<Transport["unary"]>) => Promise<Response>;

type CallLifetime = Pick<Lifetime<unknown>, "signal" | "leftMs" | "onEnd">;

/** A call as one side has it: its interceptors as the request, and the handler as the context. */
export class Call implements UnaryRequest, HandlerContext {
  readonly stream = false;
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly method: Method;
  readonly header: Headers;
  readonly message: Message;
  readonly lifetime: CallLifetime;
  readonly values: ContextValues;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  constructor(
    { method, header, message, lifetime }: Pick<Call, "method" | "header" | "message" | "lifetime">,
    values: ContextValues,
  ) {
    this.method = method;
    this.header = header;
    this.message = message;
    this.lifetime = lifetime;
    this.values = values;
  }

  get service() {
    return this.method.parent;
  }
  get url() {
    return `/${this.method.name}`;
  }
  get contextValues() {
    return this.values;
  }
  get requestHeader() {
    return this.header;
  }
  // Made when they are first asked for: hardly any call has one.
  get responseHeader() {
    return (this.#responseHeader ??= new Headers());
  }
  get responseTrailer() {
    return (this.#responseTrailer ??= new Headers());
  }
  /** What the handler and its interceptors answered besides the message, if anything: trailers have a prefix. */
  get answered() {
    if (!this.#responseHeader && !this.#responseTrailer) return undefined;
    return trailerMux(this.responseHeader, this.responseTrailer);
  }
  get timeoutMs() {
    return this.lifetime.leftMs;
  }
  get signal() {
    return this.lifetime.signal();
  }
}

/** What a handler has answered to a call. */
export class Answer implements UnaryResponse {
  readonly stream = false;
  readonly message: Message;
  readonly #call: Call;

  constructor(call: Call, message: Message) {
    this.#call = call;
    this.message = message;
  }

  get service() {
    return this.#call.service;
  }
  get method() {
    return this.#call.method;
  }
  get header() {
    return this.#call.responseHeader;
  }
  get trailer() {
    return this.#call.responseTrailer;
  }
}

export function intercepted(interceptors: readonly Interceptor[], last: Step): Step {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), last);
}

/** Gives each call its lifetime, and its message made by `makeMessage`; then `send` takes it. */
export function unaryTransport(send: Step, makeMessage: MakeMessage): Transport {
  const unary: Unary = (method, caller, timeoutMs, headers, input, values) => {
    const lifetime = openLifetime<Response>(caller, timeoutMs);
    const header = new Headers(headers);
    const message = makeMessage(method.input, input);
    const call = new Call({ method, header, message, lifetime }, values ?? createContextValues());
    return lifetime.run(() => send(call));
  };
  return {
    // The answer to a method's call has the method's types.
    unary: unary as Transport["unary"],
    stream: () => Promise.reject(new ConnectError("", Code.Unimplemented)),
  };
}

/** Calls the handlers within `interceptors`. */
export function answering(
  implementations: Implementations,
  interceptors: readonly Interceptor[],
  makeMessage: MakeMessage,
): Step {
  return intercepted(interceptors, async (request) => {
    const call = request as Call;
    const implementation = implementations.get(call.method);
    if (!implementation) throw new ConnectError("", Code.Unimplemented);
    const answer = await implementation(call.message, call);
    return new Answer(call, makeMessage(call.method.output, answer));
  });
}

/** What a caller learns of an error: nothing but code, message and details of a ConnectError. */
export function errorAsSent(error: unknown): ConnectError {
  if (!(error instanceof ConnectError)) return new ConnectError("internal error", Code.Internal);
  const sent = new ConnectError(error.rawMessage, error.code);
  sent.details = error.details;
  return sent;
}

/** The handlers of unary methods that `routes` registers. */
export function implementationsOf(routes: Routes): Implementations {
  const found = new Map<DescMethod, Implementation>();
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      const { methods } = createServiceImplSpec(service, implementation);
      for (const spec of Object.values(methods)) {
        if (spec.kind === "unary") found.set(spec.method, spec.impl);
      }
      return router;
    },
    rpc() {
      throw new Error("register a whole service");
    },
  };
  routes(router);
  return found;
}
