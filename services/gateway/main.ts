/** Runs the gateway as its own process. */
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "./config.ts";
import { start } from "./service.ts";

await runService(readConfig, async (config) => {
  // What `npm start` loads when it is first used: here it would hold up the requests of all others for half a second.
  await Promise.all([import("./dashboard/session/auth.ts"), import("./edge/mcp/serve.ts")]);
  return start(config);
});
