/** Calls one service's handlers in memory, as a caller with a name. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { callerKey, validationInterceptor } from "#runtime/rpc/interceptors.ts";
import type { Routes } from "#runtime/rpc/server.ts";

/** A client of `routes` with messages checked as in service, and without tokens. */
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
          return next(request);
        },
        validationInterceptor(),
      ],
    },
  });
  return createClient(service, transport);
}
