/** A PostgreSQL server for one benchmark, with all schemas migrated. */
import { createLog } from "#runtime/log.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startPostgres } from "../../services/standalone/embedded/postgres-server.ts";
import { migratedDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export type BenchDatabase = Awaited<ReturnType<typeof benchDatabase>>;

const DATABASE = "media";

export async function benchDatabase() {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const log = createLog("bench", "silent");
  const { superuserUrl } = stack.use(
    await startPostgres({ directory, port: await freePort(), log }),
  );
  const urls = await migratedDatabase(superuserUrl, DATABASE);
  const running = stack.move();
  return {
    urls,
    /** The database of `urls`, as the superuser. */
    adminUrl: new URL(DATABASE, superuserUrl).href,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
