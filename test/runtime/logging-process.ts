/** Logs many lines to a file and ends: after its last line, by process.exit, or by an exception. */
import { createLog, logDestination } from "#runtime/log.ts";

const [file = "", end = ""] = process.argv.slice(2);
const LINES = 1_000;
const log = createLog("logging-process", "info", logDestination(file));

setImmediate(() => {
  for (let index = 0; index < LINES; index += 1) log.info({ position: index }, "line");
  if (end === "process.exit") process.exit();
  if (end === "an exception") throw new Error("expected by the test");
});
