/** The operators' command line: calls RPCs of the running service, and sets up what it stands on. */
import { ConnectError } from "@connectrpc/connect";
import { runOps } from "./program.ts";

try {
  await runOps(process.argv.slice(2));
} catch (error) {
  const text = error instanceof ConnectError ? error.rawMessage : (error as Error).message;
  process.stderr.write(`ops: ${text}\n`);
  process.exitCode = 1;
}
