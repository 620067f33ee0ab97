/** RPC servers for tests that need real connections. */
import type { Interceptor } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { systemClock } from "#runtime/clock.ts";
import { callerKey, type Gate } from "#runtime/rpc/server/access.ts";
import { createLog } from "#runtime/log.ts";
import { startRpcServer, type RpcServer } from "#runtime/rpc/server/server.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { RpcTls } from "#runtime/rpc/tls.ts";
import { createShutdown } from "#runtime/shutdown.ts";

type Options = {
  port?: number;
  tls?: RpcTls;
  gate?: Gate;
  interceptors?: Interceptor[];
  metrics?: Registry;
};

/** Serves `routes` to any caller, unless the gate or an interceptor refuses. Disposal waits for the calls in flight. */
export function serveRpc(
  routes: Routes,
  {
    port = 0,
    tls,
    gate = async ({ values }) => void values.set(callerKey, "test"),
    interceptors = [],
    metrics = new Registry(),
  }: Options = {},
): Promise<RpcServer> {
  return startRpcServer({ host: "127.0.0.1", port, tls }, routes, {
    gate,
    interceptors,
    isReady: async () => true,
    metrics,
    shutdown: createShutdown({ lameDuckMs: 0, drainMs: 0 }, systemClock),
    log: createLog("test", "silent"),
  });
}
