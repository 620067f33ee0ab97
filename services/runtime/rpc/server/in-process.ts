/**
 * Calls within one process. They have all that calls between processes have: gate, the interceptors of both sides, headers,
 * deadline, abort, and errors without their cause. Only the bytes are left out.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  createRouterTransport,
  createServiceImplSpec,
  type ConnectRouter,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type Transport,
} from "@connectrpc/connect";
import type { Gate } from "./access.ts";
import { frozenMessage } from "./frozen-message.ts";
import { openCall } from "./in-process-call.ts";

type Routes = (router: ConnectRouter) => unknown;
type Step = ReturnType<Interceptor>;
type Response = Awaited<ReturnType<Step>>;
type UnaryCall = (...call: Parameters<Transport["unary"]>) => Promise<Response>;
type ServerSide = { gate: Gate; interceptors: Interceptor[] };
type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

/**
 * A transport to `routes`. Neither side can change a message that the other one has: they are frozen. Streams, of which
 * only health checks have any, go through Connect's own transport in memory.
 */
export function inProcessTransport(
  routes: Routes,
  { gate, interceptors: serverInterceptors }: ServerSide,
  clientInterceptors: Interceptor[],
): Transport {
  const implementations = implementationsOf(routes);
  const streaming = createRouterTransport((router) => void routes(router), {
    router: { requestGate: gate, interceptors: serverInterceptors },
    transport: { interceptors: clientInterceptors },
  });
  const unary: UnaryCall = (method, caller, timeoutMs, headers, input, values) => {
    const implementation = implementations.get(method);
    const call = openCall<Response>(caller, timeoutMs);
    const header = new Headers(headers);
    const message = frozenMessage(method.input, input);
    const about = { method, service: method.parent, requestMethod: "POST", url: `/${method.name}` };
    const handle: Step = async (request) => {
      const response = { header: new Headers(), trailer: new Headers() };
      const context: HandlerContext = {
        ...about,
        protocolName: "connect",
        requestHeader: header,
        responseHeader: response.header,
        responseTrailer: response.trailer,
        values: request.contextValues,
        timeoutMs: call.leftMs,
        get signal() {
          return call.signal();
        },
      };
      if (!implementation || request.stream) throw new ConnectError("", Code.Unimplemented);
      const answer = await implementation(request.message, context);
      return {
        ...about,
        ...response,
        stream: false,
        message: frozenMessage(method.output, answer),
      };
    };
    const requestWith = (contextValues = createContextValues()) => ({
      ...about,
      stream: false as const,
      header,
      message,
      contextValues,
      get signal() {
        return call.signal();
      },
    });
    const intercept = intercepted(serverInterceptors, handle);
    const serve: Step = async (request) => {
      await gate({ ...about, requestHeader: header, values: request.contextValues });
      return intercept(request);
    };
    const send = intercepted(clientInterceptors, () => serve(requestWith()).catch(throwAsSent));
    return call.run(() => send(requestWith(values)));
  };
  // The answer to a method's call has the method's types.
  return { unary: unary as Transport["unary"], stream: (...call) => streaming.stream(...call) };
}

function intercepted(interceptors: readonly Interceptor[], last: Step): Step {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), last);
}

/** What a caller learns of an error: nothing but code, message, metadata and details of a ConnectError. */
function throwAsSent(error: unknown): never {
  if (!(error instanceof ConnectError)) throw new ConnectError("internal error", Code.Internal);
  const sent = new ConnectError(error.rawMessage, error.code, error.metadata);
  sent.details = error.details;
  throw sent;
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
