/** The operators' command line: calls RPCs of the running service, and sets up what it stands on. */
import { runToExitCode } from "./program.ts";

await runToExitCode(process.argv.slice(2), process.env);
