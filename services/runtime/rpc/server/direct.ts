/** Calls within one process: a handler is called with the caller's message, without what a boundary needs. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
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
} from "@connectrpc/connect";
import { onAbort } from "../../abort.ts";
import type { Log } from "../../log.ts";
import type { Connect } from "../client/client.ts";
import { inSpan, NO_TRACER, type Tracer } from "../../tracing/tracer.ts";
import { callerKey } from "./access.ts";
import { shownFault } from "./interceptors.ts";

export type Routes = (router: ConnectRouter) => unknown;

type Handler = Extract<MethodImplSpec, { kind: "unary" }>["impl"];

const NO_HEADERS = new Headers();
const SPAN = { kind: "server", isRoot: true } as const;
const COMPLETED = "the call has completed";

/** What a handler gets beside its message. V8 makes and reads objects with a getter of their own slowly. */
class Context implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "direct";
  readonly url = "";
  readonly requestHeader = NO_HEADERS;
  readonly responseHeader = NO_HEADERS;
  readonly responseTrailer = NO_HEADERS;
  readonly method: DescMethod;
  readonly service: DescService;
  readonly values = createContextValues();
  readonly timeoutMs: HandlerContext["timeoutMs"];
  #controller: AbortController | undefined;
  #ended: { reason: unknown } | undefined;

  constructor(method: DescMethod, caller: string, timeoutMs: number | undefined) {
    this.method = method;
    this.service = method.parent;
    this.values.set(callerKey, caller);
    const endsAtMs = timeoutMs && performance.now() + timeoutMs;
    this.timeoutMs = () => endsAtMs && endsAtMs - performance.now();
  }

  /** Aborts when the call ends, however it does. Made when it is first asked for: most calls need none. */
  get signal() {
    this.#controller ??= new AbortController();
    if (this.#ended) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }

  end(reason: unknown) {
    this.#ended = { reason };
    this.#controller?.abort(reason);
  }
}

/** Transports to the handlers of `routes`. Errors are ConnectErrors without their cause; nothing is a stream. */
export function directTransports(
  routes: Routes,
  { tracer = NO_TRACER, log }: { tracer?: Tracer | undefined; log: Log },
): Connect {
  const handlers = new Map<DescMethod, Handler>();
  const router: Pick<ConnectRouter, "service"> = {
    service(service, implementation) {
      const { methods } = createServiceImplSpec(service, implementation);
      for (const spec of Object.values(methods)) {
        if (spec.kind === "unary") handlers.set(spec.method, spec.impl);
      }
      return router as ConnectRouter;
    },
  };
  routes(router as ConnectRouter);
  const transportOf = (caller: string) => ({
    unary: (
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
        const context = new Context(method, caller, timeoutMs);
        const end = (reason: unknown) => {
          clearTimeout(timer);
          listener?.[Symbol.dispose]();
          context.end(reason);
        };
        const fail = (error: ConnectError) => {
          end(error);
          reject(error);
        };
        const expire = () =>
          fail(new ConnectError("the operation timed out", Code.DeadlineExceeded));
        const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
        const listener =
          signal && onAbort(signal, () => fail(ConnectError.from(signal.reason, Code.Canceled)));
        const call = async () => handler(create(method.input, input), context);
        const answer =
          tracer === NO_TRACER ? call() : inSpan(tracer, `rpc ${method.name}`, SPAN, call);
        return void answer.then(
          (output) => {
            end(COMPLETED);
            const message = create(method.output, output);
            const { parent: service } = method;
            const about = { service, method, header: NO_HEADERS, trailer: NO_HEADERS };
            resolve({ stream: false, ...about, message });
          },
          (error: unknown) => fail(shownFault(error, method, log)),
        );
      }),
    stream: () => Promise.reject(new ConnectError("", Code.Unimplemented)),
  });
  // The answer to a method's call has the method's types.
  return transportOf as Connect;
}
