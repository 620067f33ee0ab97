/** A service's schema as an earlier migration left it, to see what the later ones make of its rows. */
import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { migrate } from "#runtime/postgres/migrate.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { ServiceName } from "#runtime/service.ts";
import { provision } from "../../services/standalone/embedded/postgres/provision.ts";
import { testPassword } from "./database.ts";

/** A database of its own, migrated up to the file that begins with `last`; `migrate` runs the others. */
export async function earlierSchema(service: ServiceName, last: string) {
  await using stack = new AsyncDisposableStack();
  const all = fileURLToPath(new URL(`../../services/${service}/migrations`, import.meta.url));
  const directory = await mkdtemp(join(tmpdir(), "migrations-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const files = (await readdir(all)).filter((file) => file.slice(0, last.length) <= last);
  await Promise.all(files.map((file) => copyFile(join(all, file), join(directory, file))));
  const superuserUrl = inject("superuserUrl");
  const name = `test_${randomUUID()}`;
  const { url, ownerUrl } = (await provision(superuserUrl, name, testPassword))[service];
  const superuser = connectPostgres({ url: superuserUrl, maxConnections: 1 }, "test");
  stack.defer(() => superuser.end({ timeout: 1 }));
  stack.defer(async () => {
    await superuser.unsafe(`drop database "${name}" with (force)`);
  });
  await migrate({ url: ownerUrl, schema: service, directory });
  const sql = connectPostgres({ url, maxConnections: 1 }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  const running = stack.move();
  return {
    sql,
    migrate: () => migrate({ url: ownerUrl, schema: service, directory: all }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
