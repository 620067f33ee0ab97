/** A worker process of `npm start`: runs all services on the parts that the first process started. */
import cluster from "node:cluster";
import { once } from "node:events";
import { createLog, logDestination, endOnUncaught } from "#runtime/log.ts";
import { readConfig } from "../settings/config.ts";
import { type FromWorker, startServices, type ToWorker } from "./services.ts";

// Ctrl-C in a terminal reaches every process; the first one stops the workers, and the embedded servers after them.
for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, () => {});
const stop = new Promise<void>((resolve) => void process.on("SIGTERM", () => resolve()));
const tell = (message: FromWorker) => void cluster.worker?.send(message);

endOnUncaught();
try {
  const setUp = once(process, "message") as Promise<[ToWorker]>;
  tell({ kind: "listening" });
  const [{ setup, logFile }] = await setUp;
  const config = readConfig(process.env);
  const log = createLog(undefined, config.logLevel, logDestination(logFile));
  await using services = await startServices(config, setup, log);
  tell({ kind: "ready", url: services.url, rpcUrls: services.rpcUrls });
  await stop;
} catch (error) {
  tell({ kind: "failed", reason: (error as Error).message });
  process.exitCode = 1;
}
cluster.worker?.disconnect();
