/** The simulator in a process of its own. */
import { runService } from "#runtime/service/service.ts";
import { readConfig } from "./config.ts";
import { start } from "./service.ts";

await runService(readConfig, start);
