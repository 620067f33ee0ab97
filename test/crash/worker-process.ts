/** The generation service as a process that a test can kill, with billing in the same process. */
import { createRouterTransport } from "@connectrpc/connect";
import { systemClock } from "#runtime/clock.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "../../services/generation/config.ts";
import { start } from "../../services/generation/service.ts";
import { recordingProvider } from "./recording-provider.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { idleDelivery } from "../support/generation-deps.ts";

const { env } = process;
const sql = connectPostgres(
  { url: env["BILLING_DATABASE_URL"] ?? "", maxConnections: 4 },
  "billing",
);
const billing = createRouterTransport(billingRoutes({ sql, clock: systemClock }));

await runService(readConfig, (config) =>
  start(config, {
    simulator: recordingProvider(env["UPSTREAM_URL"] ?? ""),
    peers: { billing: () => billing, delivery: idleDelivery },
  }),
);
await sql.end();
