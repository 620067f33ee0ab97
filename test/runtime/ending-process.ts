/** A service that ends in the way that a test names. */
import { createLog, endOnUncaught, logDestination } from "#runtime/log.ts";
import { runService } from "#runtime/service/service.ts";

const [way, file = ""] = process.argv.slice(2);
/** Keeps the process, whatever its service does. */
const stayOpen = () => void setInterval(() => {}, 60_000);
const serviceWith = (stop: () => Promise<void>) => async () => ({ [Symbol.asyncDispose]: stop });

if (way === "throws") {
  endOnUncaught();
  const log = createLog("test", "info", logDestination(file));
  setImmediate(() => {
    for (let position = 0; position < 1_000; position += 1) log.info({ position }, "line");
    throw new Error("nobody catches this");
  });
  setImmediate(() => process.stdout.write("still here\n"));
} else if (way === "stops") {
  stayOpen();
  await runService(
    () => ({ drainMs: 60_000 }),
    serviceWith(async () => {}),
  );
} else {
  stayOpen();
  await runService(
    () => ({ drainMs: 0 }),
    serviceWith(() => new Promise(() => {})),
  );
}
