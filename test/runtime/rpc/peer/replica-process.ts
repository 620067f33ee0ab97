/** One replica of a service, in a process of its own: GetBalance answers with its process id, SetDiscount never. */
import { Registry } from "prom-client";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { startRpcServer } from "#runtime/rpc/server.ts";

const server = await startRpcServer(
  { host: "127.0.0.1", port: 0, drainMs: 0 },
  (router) =>
    router.service(BillingService, {
      getBalance: () => ({ balance: { available: BigInt(process.pid) } }),
      setDiscount: () => new Promise(() => {}),
    }),
  [],
  async () => true,
  new Registry(),
);
process.stdout.write(`listening on ${server.url}\n`);
