/** Runs delivery in its own process. */
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "./config.ts";
import { start } from "./service.ts";

await runService(readConfig, start);
