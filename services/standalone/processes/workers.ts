/** Runs all services in several processes that share the public port, and replaces a process that ends. */
import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { onAbort } from "#runtime/abort.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { freePort } from "../embedded/ports.ts";
import type { FromWorker, OwnPorts, Services, ServicesSetup, ToWorker } from "./services.ts";
import { StartError } from "../settings/start-error.ts";

/** The pause before a process that has ended is replaced: it may end again at once. */
const REPLACE_AFTER_MS = 500;
/** A process gets more time than its services take to drain. */
const KILL_AFTER_MS = 15_000;

type Urls = Pick<Services, "url" | "rpcUrls">;

/**
 * Resolves with the addresses of all processes when they have started; throws StartError when one cannot. Each
 * process has ports of its own for RPCs and metrics, which its replacement takes over.
 */
export async function startWorkers(
  setup: Omit<ServicesSetup, "ports">,
  count: number,
  logFile: string,
  log: Log,
): Promise<Services> {
  // Processes accept connections themselves: one that was handed to a killed process would hang until its client gave up.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: fileURLToPath(new URL("worker.ts", import.meta.url)),
    args: [],
    serialization: "advanced",
  });
  const stop = new AbortController();
  const keeping: Promise<void>[] = [];
  const stopAll = async () => {
    stop.abort();
    await Promise.all(keeping);
  };

  /** Keeps one process running; resolves with its addresses when it has started for the first time. */
  const keepOne = (ports: OwnPorts): Promise<Urls> => {
    const started = Promise.withResolvers<Urls>();
    const keep = async () => {
      while (!stop.signal.aborted) {
        const worker = cluster.fork();
        started.resolve(startedUrls(worker, { setup: { ...setup, ports }, logFile }, log));
        const ended = endOf(worker);
        using _stopping = stopWith(stop.signal, worker);
        const [code, signal] = await ended;
        if (stop.signal.aborted) return;
        log.error({ pid: worker.process.pid, code, signal }, "a process ended, replacing it");
        await systemClock.sleep(REPLACE_AFTER_MS, stop.signal);
      }
    };
    keeping.push(keep());
    return started.promise;
  };

  const ownPorts: OwnPorts[] = [];
  for (let i = 0; i < count; i++) ownPorts.push(await choosePorts());
  try {
    const all = await Promise.all(ownPorts.map(keepOne));
    const rpcUrls = SERVICES.map((name) => [name, all.flatMap((one) => one.rpcUrls[name])]);
    return {
      url: all[0]?.url ?? "",
      rpcUrls: Object.fromEntries(rpcUrls) as Services["rpcUrls"],
      [Symbol.asyncDispose]: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Sends the process its settings when it listens; resolves when its services have started. */
function startedUrls(worker: Worker, settings: ToWorker, log: Log): Promise<Urls> {
  const started = new Promise<Urls>((resolve, reject) => {
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "listening") worker.send(settings);
      else if (message.kind === "ready") resolve({ url: message.url, rpcUrls: message.rpcUrls });
      else reject(new StartError(message.reason));
    });
    worker.once("exit", () => reject(new StartError("A process ended before it had started.")));
    worker.on("error", (error) => {
      log.warn({ err: error }, "a process cannot be reached");
      if (worker.process.pid === undefined) reject(new StartError("A process cannot be started."));
    });
  });
  // Nobody waits for the start of a replacement; its exit is handled where it was started.
  started.catch((error: Error) => log.error({ reason: error.message }, "a process did not start"));
  return started;
}

/** Neither code nor signal if it could not be started. `once` would reject on an error of its channel. */
function endOf(worker: Worker): Promise<[code: number | null, signal: string | null]> {
  return new Promise((resolve) => {
    worker.once("exit", (code, signal) => resolve([code, signal]));
    worker.on("error", () => {
      if (worker.process.pid === undefined) resolve([null, null]);
    });
  });
}

/** Drains the process when the signal aborts, and kills it when that takes too long. */
function stopWith(signal: AbortSignal, worker: Worker): Disposable {
  return onAbort(signal, () => {
    worker.process.kill("SIGTERM");
    setTimeout(() => worker.process.kill("SIGKILL"), KILL_AFTER_MS).unref();
  });
}

/** Chooses ports other than 0: in a cluster, processes that ask for any free port share one. */
async function choosePorts(): Promise<OwnPorts> {
  const names = [...SERVICES, "assets", "simulator"] as const;
  const ports = names.map(async (name) => [name, await freePort()] as const);
  return Object.fromEntries(await Promise.all(ports)) as OwnPorts;
}
