/** Starts the servers that all test files share: PostgreSQL with a migrated template database, and NATS JetStream. */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createLog } from "#runtime/log.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { connected, rolesOf } from "../../services/ops/setup/provision.ts";
import { startNats } from "../../services/standalone/embedded/nats-server.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startPostgres } from "../../services/standalone/embedded/postgres-server.ts";
import { migratedDatabase, TEMPLATE, testPassword } from "./database.ts";
import { shareService } from "./shared-service.ts";
import { temporaryFolder } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    superuserUrl: string;
    natsUrl: string;
    /** See shareService. */
    sharedServiceUrl: string;
  }
}

/**
 * Tests connect thousands of times, and each time both sides hash the password 4,096 times. Owners keep that: dbmate
 * refuses less.
 */
async function hashPasswordsOnce(superuserUrl: string): Promise<void> {
  const { username, password } = new URL(superuserUrl);
  const users = SERVICES.map((service) => rolesOf(service)[1]);
  const passwords = users.map((role) => [role, testPassword(role)]);
  await connected(superuserUrl, async (sql) => {
    await sql`set scram_iterations = 1`;
    for (const [role, text] of [...passwords, [username, decodeURIComponent(password)]]) {
      await sql.unsafe(`alter role "${role}" password '${text}'`);
    }
  });
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const log = createLog("test-servers", "error");
  const folder = (name: string) => join(directory, name);
  const postgres = stack.use(
    await startPostgres({
      directory: folder("postgres"),
      port: await freePort(),
      log,
      // These tests do not cover power cuts; without fsync, a killed server loses nothing. No database lives long
      // enough for a vacuum, and nothing copies the server.
      settings: {
        fsync: "off",
        full_page_writes: "off",
        synchronous_commit: "off",
        autovacuum: "off",
        wal_level: "minimal",
        max_wal_senders: "0",
      },
    }),
  );
  const nats = stack.use(
    await startNats({ directory: folder("nats"), port: await freePort(), log }),
  );
  await migratedDatabase(postgres.superuserUrl, TEMPLATE);
  await hashPasswordsOnce(postgres.superuserUrl);
  project.provide("superuserUrl", postgres.superuserUrl);
  project.provide("natsUrl", nats.url);
  project.provide("sharedServiceUrl", stack.use(await shareService(folder("service"))).url);
  const running = stack.move();
  return () => running.disposeAsync();
}
