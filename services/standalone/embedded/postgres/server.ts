/** PostgreSQL as a part of this process's life: made on first use, started, stopped. */
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startChild } from "../child.ts";
import type { Child } from "../child.ts";
import { keptSecret } from "../../data-folder/secret-file.ts";
import { planLaunch } from "../launch.ts";
import type { User } from "../launch.ts";
import { disownPidFile, stopLeftOver } from "../orphan-cleanup.ts";
import { findPostgresBinaries, majorVersion } from "./binaries.ts";
import type { PostgresBinaries } from "./binaries.ts";
import { chooseServerUser, giveTo } from "./server-user.ts";
import { StartError } from "../../start-error.ts";

const SUPERUSER = "postgres";
const READY_TIMEOUT_MS = 120_000;
const LOCKED_RETRY_MS = 250;
const LOCKED_TRIES = 60;
const KILL_AFTER_MS = 10_000;
const LEFT_OVER_STEPS = [
  { signal: "SIGINT", waitMs: 5_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  fsync: "on",
  jit: "off",
  timezone: "UTC",
  log_line_prefix: "",
  // What went wrong in a statement can quote prompts and secrets: its sender is told, the log is not.
  log_min_messages: "log",
  log_min_error_statement: "panic",
};

export type PostgresOptions = {
  /** A folder for the cluster and its password; the caller holds the data folder's lock. */
  directory: string;
  /** On 127.0.0.1; there is no other way in. */
  port: number;
  log: Log;
  /** Beside the usual ones, and before them. */
  settings?: Record<string, string>;
};

type Login = { database?: string; role?: string; password?: string };

export type PostgresServer = AsyncDisposable & {
  readonly port: number;
  /** Where the superuser meets the maintenance database. */
  readonly superuserUrl: string;
  /** A connection string; what is not named is the superuser's. */
  url(login?: Login): string;
};

/** Resolves when the server accepts connections; throws StartError with the reason otherwise. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { port, log } = options;
  const directory = resolve(options.directory);
  const data = join(directory, "data");
  const passwordFile = join(directory, "superuser-password");
  const binaries = await findPostgresBinaries();
  await mkdir(directory, { recursive: true });
  const user = await chooseServerUser(data);

  if (existsSync(data)) {
    await giveTo(data, user);
    await checkCluster(binaries, data, passwordFile);
    const pidFile = join(data, "postmaster.pid");
    await stopLeftOver(pidFile, data, LEFT_OVER_STEPS, log);
    await disownPidFile(pidFile);
  } else {
    await makeCluster(binaries, data, passwordFile, user, log);
  }
  const password = await keptSecret(passwordFile);

  const child = await runServer(binaries, data, user, options);
  const url = ({ database = "postgres", ...login }: Login = {}) => {
    const name = encodeURIComponent(login.role ?? SUPERUSER);
    const secret = encodeURIComponent(login.password ?? password);
    return `postgres://${name}:${secret}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  };
  return {
    port,
    url,
    superuserUrl: url(),
    [Symbol.asyncDispose]: () => child.stop("SIGINT", KILL_AFTER_MS),
  };
}

/** A cluster appears under its name whole, or not at all. */
async function makeCluster(
  binaries: PostgresBinaries,
  data: string,
  passwordFile: string,
  user: User | undefined,
  log: Log,
): Promise<void> {
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await keptSecret(passwordFile);
  if (user) await chown(passwordFile, user.uid, user.gid);
  await mkdir(unfinished);
  await giveTo(unfinished, user);
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-instructions",
  ];
  const reach = [unfinished, passwordFile];
  const program = { file: binaries.initdb, args, user, reach, deathSignal: "KILL" } as const;
  const child = startChild("initdb", planLaunch(program), log);
  if ((await child.ended) !== 0) {
    throw new StartError(`PostgreSQL could not make its data folder: ${reason(child)}`);
  }
  await rename(unfinished, data);
}

async function checkCluster(binaries: PostgresBinaries, data: string, passwordFile: string) {
  const found = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  const wanted = await majorVersion(binaries.postgres);
  if (found === "") throw new StartError(`${data} is not a data folder of PostgreSQL.`);
  if (found !== wanted) {
    throw new StartError(
      `${data} was made by PostgreSQL ${found} and this is PostgreSQL ${wanted}: choose another DATA_DIR, or move the data with pg_dump of version ${found}.`,
    );
  }
  if (!existsSync(passwordFile)) {
    throw new StartError(`The password of ${data} is gone: ${passwordFile} is missing.`);
  }
}

async function runServer(
  binaries: PostgresBinaries,
  data: string,
  user: User | undefined,
  { port, log, settings: more }: PostgresOptions,
): Promise<Child> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  const words = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const args = ["-D", data, "-p", String(port), ...words];
  const program = {
    file: binaries.postgres,
    args,
    user,
    reach: [data],
    deathSignal: "QUIT",
  } as const;
  const launch = planLaunch(program);
  for (let tries = 1; ; tries++) {
    const child = startChild("postgres", launch, log);
    if (await child.says(/database system is ready to accept connections/, READY_TIMEOUT_MS)) {
      child.expectToStay();
      return child;
    }
    await child.stop("SIGQUIT", KILL_AFTER_MS);
    if (!isStillLocked(child) || tries === LOCKED_TRIES) throw startError(child, port);
    await systemClock.sleep(LOCKED_RETRY_MS);
  }
}

/** After a crash, the old server's last processes hold the folder for some seconds more. */
function isStillLocked(child: Child): boolean {
  const said = child.lines().join("\n");
  return /pre-existing shared memory block|lock file "[^"]*" (already exists|is empty)/.test(said);
}

function startError(child: Child, port: number): StartError {
  if (child.lines().some((line) => line.includes("Address already in use"))) {
    return new StartError(`PostgreSQL cannot listen: port ${port} of 127.0.0.1 is taken.`);
  }
  return new StartError(`PostgreSQL did not start: ${reason(child)}`);
}

function reason(child: Child): string {
  const lines = child.lines();
  const told = lines.findLast((line) => /^(FATAL|PANIC|.*error):/i.test(line)) ?? lines.at(-1);
  return told?.trim() ?? "it said nothing.";
}
