/** A PostgreSQL server for one benchmark, with all schemas migrated. */
import { fileURLToPath } from "node:url";
import { createLog } from "#runtime/log.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startPostgres } from "../../services/standalone/embedded/postgres-server.ts";
import { provision, SERVICES, type DatabaseUrls } from "../../services/ops/setup/provision.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Urls = Record<ServiceName, DatabaseUrls>;

export type BenchDatabase = AsyncDisposable & {
  urls: Urls;
  /** The database of `urls`, as the superuser. */
  adminUrl: string;
};

const DATABASE = "media";

export async function benchDatabase(): Promise<BenchDatabase> {
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
    adminUrl: new URL(DATABASE, superuserUrl).href,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function migratedDatabase(superuserUrl: string, name: string): Promise<Urls> {
  const urls = await provision(superuserUrl, name, (role) => role);
  for (const service of SERVICES) {
    const directory = fileURLToPath(
      new URL(`../../services/${service}/migrations`, import.meta.url),
    );
    await migrate({ url: urls[service].ownerUrl, schema: service, directory });
  }
  return urls;
}
