/** A PostgreSQL of a benchmark's own, with all schemas migrated. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog } from "#runtime/log.ts";
import { migrate } from "#runtime/migrate.ts";
import type { ServiceName } from "#runtime/service.ts";
import { freePort } from "../../services/standalone/ports.ts";
import { startPostgres } from "../../services/standalone/postgres.ts";
import { provision, SERVICES } from "../../services/standalone/provision.ts";
import type { DatabaseUrls } from "../../services/standalone/provision.ts";

export type BenchDatabase = AsyncDisposable & { urls: Record<ServiceName, DatabaseUrls> };

export async function benchDatabase(): Promise<BenchDatabase> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "media-bench-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const log = createLog("bench", "silent");
  const postgres = stack.use(await startPostgres({ directory, port: await freePort(), log }));
  const urls = await provision(postgres.superuserUrl, "media", (role) => role);
  for (const service of SERVICES) {
    const path = new URL(`../../services/${service}/migrations`, import.meta.url);
    const directoryOf = fileURLToPath(path);
    await migrate({ url: urls[service].ownerUrl, schema: service, directory: directoryOf });
  }
  const running = stack.move();
  return { urls, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
