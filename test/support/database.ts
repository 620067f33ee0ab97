/** A migrated database for one test file, cloned from the template. */
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { migrate } from "#runtime/postgres/migrate.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { isDatabaseUnavailable, NO_LIMITS, type Limits } from "#runtime/postgres/limits.ts";
import { SERVICES, schemaOf, type ServiceName } from "#runtime/service/service.ts";
import {
  connected,
  databaseUrls,
  provision,
  type DatabaseUrls,
} from "../../services/ops/setup/provision.ts";

export const TEMPLATE = "media_template";

export const testPassword = (role: string): string => `password-of-${role}`;

/** A database of that name with its roles and all four schemas, migrated and empty. */
export async function migratedDatabase(
  superuserUrl: string,
  name: string,
): Promise<Record<ServiceName, DatabaseUrls>> {
  const urls = await provision(superuserUrl, name, testPassword);
  for (const schema of SERVICES) await migrate({ url: urls[schema].ownerUrl, ...schemaOf(schema) });
  return urls;
}

/** A copy of the template. */
export async function testDatabases() {
  const superuserUrl = inject("superuserUrl");
  const database = `test_${process.pid}_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
  // Copied as files, which takes half as long as through the log.
  const create = `create database "${database}" template "${TEMPLATE}" strategy file_copy`;
  await connected(superuserUrl, (sql) => sql.unsafe(create));
  return {
    urls: databaseUrls(superuserUrl, database, testPassword),
    [Symbol.asyncDispose]: async () => {
      const drop = `drop database "${database}" with (force)`;
      await connected(superuserUrl, (sql) => sql.unsafe(drop));
    },
  };
}

/** The same for one service: the URL of its role, and the URL of the owner of its schema. */
export async function testDatabase(service: ServiceName): Promise<AsyncDisposable & DatabaseUrls> {
  const { urls, ...database } = await testDatabases();
  return { ...database, ...urls[service] };
}

/** The same, with connections as each of the two roles. */
export async function connectedDatabase(service: ServiceName, maxConnections = 4) {
  await using stack = new AsyncDisposableStack();
  const urls = stack.use(await testDatabase(service));
  const sql: Sql = stack.use(openPool(urls.url, maxConnections));
  // Inserts thousands of rows in one statement, on a slow machine too.
  const owner: Sql = stack.use(openPool(urls.ownerUrl, maxConnections, NO_LIMITS));
  const connected = stack.move();
  return { ...urls, sql, owner, [Symbol.asyncDispose]: () => connected.disposeAsync() };
}

/** Connections that end with what uses them. */
export function openPool(url: string, maxConnections = 1, limits: Partial<Limits> = {}) {
  const sql = connectPostgres({ url, maxConnections, limits }, "test");
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 30 }) });
}

/** "ok", or "unavailable" if the database cannot be used now, or what else is wrong. */
export const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: unknown) => (isDatabaseUnavailable(error) ? "unavailable" : String(error)),
  );

/** A database with its roles and without tables, and a connection as superuser. */
export async function unmigratedDatabase() {
  const name = `test_${randomUUID()}`;
  const urls = await provision(inject("superuserUrl"), name, testPassword);
  const superuser = postgres(inject("superuserUrl"), { max: 1, onnotice: () => {} });
  return {
    name,
    urls,
    superuser,
    [Symbol.asyncDispose]: async () => {
      await superuser.unsafe(`drop database "${name}" with (force)`);
      await superuser.end();
    },
  };
}
