/** One replica of a service, in a process of its own: GetBalance answers with its process id, SetDiscount never. */
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

const server = await serveRpc((router) =>
  router.service(BillingService, {
    getBalance: () => ({ balance: { available: BigInt(process.pid) } }),
    setDiscount: () => new Promise(() => {}),
  }),
);
process.stdout.write(`listening on ${server.url}\n`);
