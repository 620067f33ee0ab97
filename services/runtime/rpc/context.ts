/** Carries the id of the request and its trace through RPCs. */
import type { Interceptor } from "@connectrpc/connect";
import { inContext, workContext, type WorkContext } from "../work-context.ts";

export const REQUEST_ID_HEADER = "x-request-id";
export const TRACEPARENT_HEADER = "traceparent";

const REQUEST_ID = /^[\w-]{8,64}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/** The interceptor of calls that are made. */
export function contextSender(): Interceptor {
  return (next) => (request) => {
    const { requestId, traceparent } = workContext();
    if (requestId !== undefined) request.header.set(REQUEST_ID_HEADER, requestId);
    if (traceparent !== undefined) request.header.set(TRACEPARENT_HEADER, traceparent);
    return next(request);
  };
}

/** The interceptor of calls that are answered. */
export function contextReceiver(): Interceptor {
  return (next) => (request) =>
    inContext(
      contextFrom((name) => request.header.get(name)),
      () => next(request),
    );
}

/** The context in the headers of a call or an event. */
export function contextFrom(header: (name: string) => string | null | undefined): WorkContext {
  return {
    requestId: matching(REQUEST_ID, header(REQUEST_ID_HEADER)),
    traceparent: matching(TRACEPARENT, header(TRACEPARENT_HEADER)),
  };
}

/** What has another form is left out: it is stored with tasks. */
function matching(pattern: RegExp, text: string | null | undefined): string | undefined {
  return text && pattern.test(text) ? text : undefined;
}
