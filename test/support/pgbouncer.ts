/** PgBouncer in transaction mode before a Postgres, for one test. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateUnpacked } from "../../scripts/test-tools.mjs";
import { planLaunch } from "../../services/standalone/embedded/process.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { chooseServerUser } from "../../services/standalone/embedded/postgres-server.ts";
import { startProgram } from "./process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Connections to Postgres for each role and database: few, so that the statements of a client meet different ones. */
const POOL_SIZE = 3;

/** `urls` are those of all roles that will connect. */
export async function startPgbouncer(urls: readonly string[]) {
  const found = locateUnpacked("pgbouncer");
  if (!found) throw new Error("PgBouncer is not installed");
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const [server, ...others] = urls.map((url) => new URL(url));
  const port = await freePort();
  const users = [server, ...others].map((url) => `"${url?.username}" "${url?.password}"`);
  const settings = [
    "[databases]",
    `* = host=${server?.hostname} port=${server?.port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${directory}/users.txt`,
    "pool_mode = transaction",
    `default_pool_size = ${POOL_SIZE}`,
  ];
  await writeFile(join(directory, "users.txt"), users.join("\n"));
  await writeFile(join(directory, "pgbouncer.ini"), settings.join("\n"));
  await chmod(directory, 0o755);
  const launch = planLaunch({
    file: found.program,
    args: [join(directory, "pgbouncer.ini")],
    user: await chooseServerUser(directory),
    needs: [found.program, directory],
    deathSignal: "KILL",
  });
  const environment = { LD_LIBRARY_PATH: found.libraries };
  const pgbouncer = stack.use(startProgram(launch.file, launch.args, environment, "/"));
  await pgbouncer.says("process up");
  const running = stack.move();
  return {
    /** The URL with PgBouncer as its host. */
    through: (url: string) => {
      const result = Object.assign(new URL(url), { host: `127.0.0.1:${port}` });
      result.searchParams.set("pgbouncer", "true");
      return result.href;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
