/** RPC servers for tests that need real connections. */
import type { Interceptor } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { startRpcServer } from "#runtime/rpc/server.ts";
import type { Routes, RpcServer } from "#runtime/rpc/server.ts";
import { createShutdown } from "#runtime/shutdown.ts";

type Options = { port?: number; interceptors?: Interceptor[]; metrics?: Registry };

/** Serves `routes` to any caller, unless an interceptor refuses. Disposal waits for the calls in flight. */
export function serveRpc(
  routes: Routes,
  { port = 0, interceptors = [], metrics = new Registry() }: Options = {},
): Promise<RpcServer> {
  return startRpcServer({ host: "127.0.0.1", port }, routes, {
    interceptors,
    isReady: async () => true,
    metrics,
    shutdown: createShutdown({ lameDuckMs: 0, drainMs: 0 }, systemClock),
    log: createLog("test", "silent"),
  });
}
