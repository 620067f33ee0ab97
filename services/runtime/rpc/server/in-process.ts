/**
 * Calls within one process. They have all that calls between processes have: gate, the interceptors of both sides, headers,
 * deadline, abort, and errors without their cause. Only the bytes are left out.
 */
import type {
  DescMessage,
  DescMethod,
  DescMethodUnary,
  Message,
  MessageInitShape,
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
import type { Gate } from "./access.ts";
import { frozenMessage } from "./frozen-message.ts";
import { openCall, type InProcessCall } from "./in-process-call.ts";

type Routes = (router: ConnectRouter) => unknown;
type Step = ReturnType<Interceptor>;
type Response = Awaited<ReturnType<Step>>;
type UnaryCall = (...call: Parameters<Transport["unary"]>) => Promise<Response>;
type ServerSide = { gate: Gate; interceptors: Interceptor[] };
type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;
type Method = DescMethodUnary<DescMessage, DescMessage>;

/**
 * A transport to `routes`. Neither side can change a message that the other one has: they are frozen. Nothing is served as a
 * stream.
 */
export function inProcessTransport(
  routes: Routes,
  { gate, interceptors }: ServerSide,
  clientInterceptors: Interceptor[],
): Transport {
  const implementations = implementationsOf(routes);
  const answer = intercepted(interceptors, async (request) => {
    const call = request as Call;
    const implementation = implementations.get(call.method);
    if (!implementation) throw new ConnectError("", Code.Unimplemented);
    return new Answer(call, await implementation(call.message, call));
  });
  const send = intercepted(clientInterceptors, async (request) => {
    const call = new Call(request as Call, createContextValues());
    try {
      await gate(call);
      return await answer(call);
    } catch (error) {
      throw errorAsSent(error);
    }
  });
  const unary: UnaryCall = (method, caller, timeoutMs, headers, input, values) => {
    const lifetime = openCall<Response>(caller, timeoutMs);
    const header = new Headers(headers);
    const message = frozenMessage(method.input, input);
    const call = new Call({ method, header, message, lifetime }, values ?? createContextValues());
    return lifetime.run(() => send(call));
  };
  // The answer to a method's call has the method's types.
  return {
    unary: unary as Transport["unary"],
    stream: () => Promise.reject(new ConnectError("", Code.Unimplemented)),
  };
}

function intercepted(interceptors: readonly Interceptor[], last: Step): Step {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), last);
}

/** A call as one side has it: its interceptors as the request, and the handler as the context. */
class Call implements UnaryRequest, HandlerContext {
  readonly stream = false;
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly method: Method;
  readonly header: Headers;
  readonly message: Message;
  readonly lifetime: InProcessCall<Response>;
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
  get timeoutMs() {
    return this.lifetime.leftMs;
  }
  get signal() {
    return this.lifetime.signal();
  }
}

/** What a handler has answered to a call. */
class Answer implements UnaryResponse {
  readonly stream = false;
  readonly message: Message;
  readonly #call: Call;

  constructor(call: Call, message: MessageInitShape<DescMessage>) {
    this.#call = call;
    this.message = frozenMessage(call.method.output, message);
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

/** What a caller learns of an error: nothing but code, message, metadata and details of a ConnectError. */
function errorAsSent(error: unknown): ConnectError {
  if (!(error instanceof ConnectError)) return new ConnectError("internal error", Code.Internal);
  const sent = new ConnectError(error.rawMessage, error.code, error.metadata);
  sent.details = error.details;
  return sent;
}

/** The handlers of unary methods that `routes` registers. */
function implementationsOf(routes: Routes): Map<DescMethod, UnarySpec["impl"]> {
  const found = new Map<DescMethod, UnarySpec["impl"]>();
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
