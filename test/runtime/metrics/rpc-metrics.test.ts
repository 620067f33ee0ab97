/** What is counted of RPCs. */
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { rpcMetrics } from "#runtime/metrics/rpc-metrics.ts";

it("counts a call with its RPC and code, for the caller and for the service", async () => {
  const registry = new Registry();
  const { server, client } = rpcMetrics(registry);
  const transport = createRouterTransport(
    (router) =>
      void router.service(BillingService, {
        getBalance: () => ({}),
        reserve: () => {
          throw new ConnectError("too many", Code.ResourceExhausted);
        },
      }),
    { router: { interceptors: [server] }, transport: { interceptors: [client("billing")] } },
  );
  const billing = createClient(BillingService, transport);
  await billing.getBalance({});
  await expect(billing.reserve({})).rejects.toThrow("too many");
  const text = await registry.metrics();
  for (const line of [
    'media_rpc_server_duration_seconds_count{rpc="GetBalance",code="ok"} 1',
    'media_rpc_server_duration_seconds_count{rpc="Reserve",code="resource_exhausted"} 1',
    'media_rpc_client_duration_seconds_count{service="billing",rpc="GetBalance",code="ok"} 1',
    'media_rpc_client_duration_seconds_count{service="billing",rpc="Reserve",code="resource_exhausted"} 1',
  ]) {
    expect(text).toContain(line);
  }
});
