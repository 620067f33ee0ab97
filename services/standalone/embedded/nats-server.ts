/** Runs a NATS server with JetStream as a child process. */
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { systemClock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import { locateNatsServer } from "../../../scripts/nats-binary.mjs";
import { readOrCreateSecret } from "../data-folder/secrets.ts";
import { StartError } from "../settings/start-error.ts";
import { type Child, planLaunch, startChild, stopOrphan } from "./process.ts";

const USER = "media";
const READY_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 20;
const CHECK_TIMEOUT_MS = 1_000;
const KILL_AFTER_MS = 5_000;
const STOP_ORPHAN_STEPS = [
  { signal: "SIGTERM", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

export type NatsOptions = {
  /** A folder for the streams, the configuration and the password; the caller holds the data folder's lock. */
  directory: string;
  port: number;
  log: Log;
};

export type NatsServer = AsyncDisposable & {
  readonly port: number;
  /** Includes user and password, which stay the same for a folder. */
  readonly url: string;
};

/** Resolves when the server accepts connections; throws StartError with the reason otherwise. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const { port, log } = options;
  const directory = resolve(options.directory);
  const binary = findBinary();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const configFile = join(directory, "nats.conf");
  const pidFile = join(directory, "nats.pid");
  const password = await readOrCreateSecret(join(directory, "password"));
  await stopOrphan(pidFile, configFile, STOP_ORPHAN_STEPS, log);

  const serverName = randomToken();
  const config = configText({ directory, pidFile, port, password, serverName });
  await writeFile(configFile, config, { mode: 0o600 });
  const program = { file: binary, args: ["-c", configFile], deathSignal: "KILL" } as const;
  const child = startChild("nats", planLaunch(program), log);
  if (!(await isReady(child, port, serverName))) {
    await child.stop("SIGTERM", KILL_AFTER_MS);
    throw startError(child, port);
  }
  child.reportUnexpectedExit();
  return {
    port,
    url: `nats://${USER}:${password}@127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => child.stop("SIGTERM", KILL_AFTER_MS),
  };
}

function findBinary(): string {
  let found: string | undefined;
  try {
    found = locateNatsServer();
  } catch (error) {
    throw new StartError((error as Error).message);
  }
  if (found !== undefined) return found;
  throw new StartError("There is no NATS server: run `node scripts/setup.mjs`, which fetches one.");
}

/** Uses only settings that version 2.9 has, because Debian packages that version. */
function configText(settings: {
  directory: string;
  pidFile: string;
  port: number;
  password: string;
  serverName: string;
}): string {
  const text = JSON.stringify;
  return [
    `server_name: ${text(settings.serverName)}`,
    `host: "127.0.0.1"`,
    `port: ${settings.port}`,
    `pid_file: ${text(settings.pidFile)}`,
    `authorization { user: ${USER}, password: ${text(settings.password)} }`,
    `jetstream { store_dir: ${text(settings.directory)}, max_mem: 64MB, max_file: 1GB }`,
    "",
  ].join("\n");
}

/** Whether our server listens: its name tells it from another server that has taken the port. */
async function isReady(child: Child, port: number, serverName: string): Promise<boolean> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), READY_TIMEOUT_MS);
  void child.ended.then(() => giveUp.abort());
  while (!giveUp.signal.aborted) {
    if ((await greeting(port)).includes(`"${serverName}"`)) break;
    await systemClock.sleep(CHECK_EVERY_MS, giveUp.signal);
  }
  clearTimeout(timer);
  return !giveUp.signal.aborted;
}

/** The first line that the server on the port sends: `INFO {…}` from NATS, empty on a timeout or an error. */
function greeting(port: number): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ host: "127.0.0.1", port, timeout: CHECK_TIMEOUT_MS });
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      received += text;
      if (received.includes("\n")) socket.destroy();
    });
    socket.on("timeout", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(received));
  });
}

function startError(child: Child, port: number): StartError {
  const lines = child.lines();
  if (lines.some((line) => line.includes("address already in use"))) {
    return new StartError(`NATS cannot listen: port ${port} of 127.0.0.1 is taken.`);
  }
  const line = lines.findLast((line) => line.includes("[FTL]")) ?? lines.at(-1);
  return new StartError(`NATS did not start: ${line?.trim() ?? "it wrote no output."}`);
}
