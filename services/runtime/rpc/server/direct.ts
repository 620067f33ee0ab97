/** Calls within one process: a handler is called with the caller's message, and nothing that a boundary needs is repeated. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  createServiceImplSpec,
  type ConnectRouter,
  type HandlerContext,
  type MethodImplSpec,
  type Transport,
} from "@connectrpc/connect";
import { onAbort } from "../../abort.ts";
import type { Log } from "../../log.ts";
import { inSpan, NO_TRACER, type Tracer } from "../../tracing/tracer.ts";
import { callerKey } from "./access.ts";
import { shownFault } from "./interceptors.ts";

export type Routes = (router: ConnectRouter) => unknown;

type Handler = Extract<MethodImplSpec, { kind: "unary" }>["impl"];

export type Handlers = ReadonlyMap<DescMethod, Handler>;

const NO_HEADERS = new Headers();
const SPAN = { kind: "server", isRoot: true } as const;
const COMPLETED = "the call has completed";

/** What a handler is told of a call: who calls, how long, and when nobody waits any more. */
class DirectContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "direct";
  readonly url = "";
  readonly requestHeader = NO_HEADERS;
  readonly responseHeader = NO_HEADERS;
  readonly responseTrailer = NO_HEADERS;
  readonly method: DescMethod;
  readonly values;
  readonly #endsAtMs: number | undefined;
  #controller: AbortController | undefined;
  #ended: { reason: unknown } | undefined;

  constructor(method: DescMethod, caller: string, timeoutMs: number | undefined) {
    this.method = method;
    this.values = createContextValues().set(callerKey, caller);
    this.#endsAtMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  }

  get service() {
    return this.method.parent;
  }
  /** Aborts when the call ends, however it does. Made when it is first asked for: most calls need none. */
  get signal() {
    this.#controller ??= new AbortController();
    if (this.#ended) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }
  timeoutMs = () => (this.#endsAtMs === undefined ? undefined : this.#endsAtMs - performance.now());

  end(reason: unknown): void {
    this.#ended = { reason };
    this.#controller?.abort(reason);
  }
}

/** A transport to `handlers` for the service `caller`. Errors are ConnectErrors without their cause; nothing is a stream. */
export function directTransport(
  handlers: Handlers,
  caller: string,
  { tracer = NO_TRACER, log }: { tracer?: Tracer | undefined; log: Log },
): Transport {
  const unary = (
    method: DescMethod & { methodKind: "unary" },
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    _header: unknown,
    input: MessageInitShape<DescMessage>,
  ) =>
    new Promise((resolve, reject) => {
      const handler = handlers.get(method);
      if (!handler) return reject(new ConnectError("", Code.Unimplemented));
      if (signal?.aborted) return reject(ConnectError.from(signal.reason, Code.Canceled));
      const context = new DirectContext(method, caller, timeoutMs);
      const end = (reason: unknown) => {
        clearTimeout(timer);
        listener?.[Symbol.dispose]();
        context.end(reason);
      };
      const fail = (error: ConnectError) => {
        end(error);
        reject(error);
      };
      const expire = () => fail(new ConnectError("the operation timed out", Code.DeadlineExceeded));
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      const listener =
        signal && onAbort(signal, () => fail(ConnectError.from(signal.reason, Code.Canceled)));
      const call = async () => handler(create(method.input, input), context);
      const answer = () =>
        tracer === NO_TRACER ? call() : inSpan(tracer, `rpc ${method.name}`, SPAN, call);
      return void answer().then(
        (output) => {
          end(COMPLETED);
          const message = create(method.output, output);
          const about = { service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS };
          resolve({ stream: false, ...about, message });
        },
        (error: unknown) => fail(withoutCause(shownFault(error, method, log))),
      );
    });
  return {
    // The answer to a method's call has the method's types.
    unary: unary as Transport["unary"],
    stream: () => Promise.reject(new ConnectError("", Code.Unimplemented)),
  };
}

/** What a caller in another process would learn of an error. */
function withoutCause(error: ConnectError): ConnectError {
  const sent = new ConnectError(error.rawMessage, error.code);
  sent.details = error.details;
  return sent;
}

export function handlersOf(routes: Routes): Handlers {
  const found = new Map<DescMethod, Handler>();
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
