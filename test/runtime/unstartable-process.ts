/** A service that opens its port, and leaves something open where it cannot. */
import { createServer } from "node:http";
import { once } from "node:events";
import { runService } from "#runtime/service/service.ts";

setInterval(() => {}, 60_000);
await runService(
  ({ HOST, RPC_PORT }) => ({ drainMs: 0, host: HOST ?? "127.0.0.1", port: Number(RPC_PORT) }),
  async ({ host, port }) => {
    await once(createServer().listen(port, host), "listening");
    throw new Error("the port was free");
  },
);
