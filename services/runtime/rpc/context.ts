/** What an RPC carries beside its message: the request's id, its trace, its caller's address; and options of RPCs. */
import { getOption, type DescMethod } from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import type { MethodOptions } from "@bufbuild/protobuf/wkt";
import {
  createContextKey,
  createContextValues,
  type ContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { inContext, workContext } from "../work-context.ts";

export const REQUEST_ID_HEADER = "x-request-id";
const TRACEPARENT_HEADER = "traceparent";

const REQUEST_ID = /^[\w-]{8,64}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/** Sets what the code that runs now belongs to. */
export function setContext(header: { set: (name: string, value: string) => void }): void {
  const { requestId, traceparent } = workContext();
  if (requestId !== undefined) header.set(REQUEST_ID_HEADER, requestId);
  if (traceparent !== undefined) header.set(TRACEPARENT_HEADER, traceparent);
}

/** The interceptor of calls that are made. */
export const contextSender: Interceptor = (next) => (request) => {
  setContext(request.header);
  return next(request);
};

/** The interceptor of calls that are answered. */
export const contextReceiver: Interceptor = (next) => (request) => {
  const requestId = matching(REQUEST_ID, request.header.get(REQUEST_ID_HEADER));
  const traceparent = matching(TRACEPARENT, request.header.get(TRACEPARENT_HEADER));
  return inContext({ requestId, traceparent }, () => next(request));
};

/** What has another form is left out: it is stored with tasks. */
function matching(pattern: RegExp, text: string | null): string | undefined {
  return text && pattern.test(text) ? text : undefined;
}

/** The IP address of the caller; undefined for a call within the process. */
export const callerAddressKey = createContextKey<string | undefined>(undefined);

export function withCallerAddress({ socket }: IncomingMessage | Http2ServerRequest): ContextValues {
  return createContextValues().set(callerAddressKey, socket.remoteAddress);
}

/** Cached, because reading an option decodes it, which costs more than the rest of a call's overhead. */
export function methodOption<T>(option: GenExtension<MethodOptions, T>): (method: DescMethod) => T {
  const known = new WeakMap<DescMethod, T>();
  return (method) => {
    if (!known.has(method)) known.set(method, getOption(method, option));
    return known.get(method) as T;
  };
}
