/** A PostgreSQL of the machine's packages, with pg_dump and pg_restore, which the embedded one does not contain. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { planLaunch } from "../../services/standalone/embedded/process.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import {
  changeOwner,
  chooseServerUser,
} from "../../services/standalone/embedded/postgres-server.ts";
import { startProgram } from "./process.ts";

const VERSIONS = "/usr/lib/postgresql";
const NEEDED = ["initdb", "postgres", "pg_dump", "pg_restore"];

/** The folder with the programs of the newest version that is whole; undefined where there is none. */
export function locateInstalledPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, "bin"))
    .find((programs) => NEEDED.every((name) => existsSync(join(programs, name))));
}

/** Starts an empty server in `folder`. */
export async function startInstalledPostgres(programs: string, folder: string) {
  await mkdir(folder, { recursive: true });
  const user = await chooseServerUser(folder);
  const [data, password] = [join(folder, "data"), join(folder, "password")];
  await writeFile(password, "secret");
  await changeOwner(folder, user);
  const plan = (name: string, args: string[]) =>
    planLaunch({ file: join(programs, name), args, deathSignal: "QUIT", user, needs: [folder] });
  const how = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${password}`, "--no-sync"];
  const init = plan("initdb", [`--pgdata=${data}`, ...how]);
  await promisify(execFile)(init.file, init.args, { cwd: "/" });
  const port = String(await freePort());
  const server = plan("postgres", ["-D", data, "-h", "127.0.0.1", "-p", port, "-k", "", "-F"]);
  const running = startProgram(server.file, server.args, {}, "/");
  await running.says("ready to accept connections");
  return {
    /** The connection string of the superuser for the maintenance database. */
    superuserUrl: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    /** What libpq's programs read instead of being told where the server is. */
    env: { PGHOST: "127.0.0.1", PGPORT: port, PGUSER: "postgres", PGPASSWORD: "secret" },
    [Symbol.asyncDispose]: async () => {
      // Immediately: nobody reads it again, and connections need not end first.
      await running.end("SIGQUIT");
    },
  };
}
