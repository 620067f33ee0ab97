/** A stand-in for the image `postgres`: the embedded server, which can be killed and started again on its data. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "#runtime/log.ts";
import {
  startPostgres,
  type PostgresServer,
} from "../../../services/standalone/embedded/postgres-server.ts";

export async function createPostgres(folder: string, port: number, password: string) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "superuser-password"), password, { mode: 0o600 });
  const log = createLog("postgres", "silent");
  // A killed process loses nothing that it wrote: only a power cut would, without fsync.
  const settings = { fsync: "off", full_page_writes: "off" };
  let server: PostgresServer | undefined;
  return {
    /** The connection string of the superuser for the maintenance database. */
    superuserUrl: () => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    /** SIGKILL of the server and, by its own doing, of all its processes. Committed transactions are kept. */
    async kill() {
      const [pid] = (await readFile(join(folder, "data/postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await server?.[Symbol.asyncDispose]();
      server = undefined;
    },
    /** Resolves when it accepts connections. */
    async start() {
      server = await startPostgres({ directory: folder, port, log, settings });
    },
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
}
