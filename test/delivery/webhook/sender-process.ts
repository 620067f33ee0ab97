/** A sender in its own process, for tests that kill it. DNS returns 127.0.0.1 or hangs. */
import { parseCidrs } from "#runtime/address.ts";
import { systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/loops.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { masterKeys } from "../../../services/delivery/webhook/signing-secrets.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { unobserved } from "../../support/metrics.ts";

const { DATABASE_URL: url = "", DNS: dns } = process.env;
const sql = connectPostgres({ url, maxConnections: 2 }, "sender-process");
const clock = systemClock;
const log = createLog("sender-process", "info");
const agent = createGuardedAgent({
  allow: parseCidrs(["127.0.0.0/8"]),
  plainHttp: true,
  resolve: async () => {
    log.info({}, "address requested");
    if (dns === "silent") return new Promise(() => {});
    return [{ address: "127.0.0.1", family: 4 }];
  },
});
const keys = masterKeys([Buffer.alloc(32, 1)]);
startDueLoop(
  webhookSender({
    sql,
    clock,
    log,
    agent,
    masterKeys: keys,
    random: () => 0.5,
    ...unobserved(),
  }),
  {
    clock,
    log,
  },
);
