/** Calls the handlers of a service in memory as a named caller. */
import {
  ConnectError,
  createClient,
  createRouterTransport,
  type Client,
} from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { callerKey } from "#runtime/rpc/server/access.ts";
import { checkMessage } from "#runtime/rpc/server/interceptors.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";

/** A client of `routes` that validates messages as the service does, without service tokens. */
export function memoryClient<T extends DescService>(
  service: T,
  routes: Routes,
  caller = "test",
): Client<T> {
  const transport = createRouterTransport((router) => routes(router), {
    router: {
      interceptors: [
        (next) => (request) => {
          request.contextValues.set(callerKey, caller);
          if (!request.stream) checkMessage(request.method, request.message);
          return next(request);
        },
      ],
    },
  });
  return createClient(service, transport);
}

/** What the caller learns of the call's fault. Throws where it has none. */
export async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  const ended = await Promise.allSettled([call]);
  if (ended[0].status === "fulfilled") throw new Error("the call succeeded");
  return ConnectError.from(ended[0].reason);
}
