/** A service that ends in the way that a test names. */
import { createLog, endOnUncaught, logDestination } from "#runtime/log.ts";
import { runService } from "#runtime/service/service.ts";

const [way, file = ""] = process.argv.slice(2);

if (way === "throws") {
  endOnUncaught();
  const log = createLog("test", "info", logDestination(file));
  setImmediate(() => {
    for (let position = 0; position < 1_000; position += 1) log.info({ position }, "line");
    throw new Error("nobody catches this");
  });
  setImmediate(() => process.stdout.write("still here\n"));
} else {
  // It keeps the process, whatever its service does.
  setInterval(() => {}, 60_000);
  const isQuick = way === "stops";
  const stop = isQuick ? async () => {} : () => new Promise<void>(() => {});
  await runService(
    () => ({ drainMs: isQuick ? 60_000 : 0 }),
    async () => ({ [Symbol.asyncDispose]: stop }),
  );
}
