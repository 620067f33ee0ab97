/** The generation service as a process that a test can kill, with billing in the same process. */
import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "../../services/generation/config.ts";
import { start } from "../../services/generation/service.ts";
import { recordingProvider } from "./recording-provider.ts";
import { billingRoutes } from "../support/billing-deps.ts";

const { env } = process;
const sql = connectPostgres(
  { url: env["BILLING_DATABASE_URL"] ?? "", maxConnections: 4 },
  "billing",
);
const log = createLog("billing", "error");
const billing = createRouterTransport(billingRoutes({ sql, clock: systemClock, log }));
const output = create(OutputSchema, { key: "a.mp4", contentType: "video/mp4", bytes: 9n });
const delivery = createRouterTransport(({ service }) => {
  service(DeliveryService, {
    storeOutput: () => ({ output: [output] }),
    discardOutput: () => ({}),
    acceptEnd: () => ({}),
  });
});

await runService(readConfig, (config) =>
  start(config, {
    simulator: recordingProvider(env["UPSTREAM_URL"] ?? ""),
    peers: { billing: () => billing, delivery: () => delivery },
  }),
);
await sql.end();
