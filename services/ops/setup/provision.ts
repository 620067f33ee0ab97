/** Creates a database with a schema and two roles for each service: an owner of the tables and a user of them. */
import postgres from "postgres";
import { LIMITS, postgresSettings, TRANSACTION_TIMEOUT_SINCE } from "#runtime/postgres/limits.ts";
import { MIGRATION_LOCK_MS } from "#runtime/postgres/migrate.ts";
import { SERVICES, type ServiceName } from "#runtime/service/service.ts";

/** The connection strings of one service, with access to its own schema only. */
export type DatabaseUrls = { url: string; ownerUrl: string };

export type Passwords = (role: string) => string;

/** `adminUrl`: a role that may create databases and roles, and the maintenance database. */
export async function provision(
  adminUrl: string,
  database: string,
  password: Passwords,
): Promise<Record<ServiceName, DatabaseUrls>> {
  await provisionDatabase(adminUrl, database, password);
  return databaseUrls(adminUrl, database, password);
}

/** The same, but a role keeps the password that it has where `passwordOf` gives none. */
export async function provisionDatabase(
  adminUrl: string,
  database: string,
  passwordOf: (role: string, isNew: boolean) => string | undefined,
): Promise<void> {
  await connected(adminUrl, async (server) => {
    for (const role of SERVICES.flatMap(rolesOf)) await ensureRole(server, role, passwordOf);
    const [found] = await server`select 1 as one from pg_database where datname = ${database}`;
    if (!found) await server.unsafe(`create database "${database}"`);
  });
  await connected(withDatabase(adminUrl, database), async (inside) => {
    await inside.unsafe("revoke all on schema public from public");
    for (const service of SERVICES) {
      const [owner, user] = rolesOf(service);
      await inside.unsafe(`create schema if not exists ${service} authorization ${owner}`);
      await inside.unsafe(`grant usage on schema ${service} to ${user}`);
    }
  });
}

const CONNECT_TIMEOUT_S = 10;

/** Does `work` on one connection, which is closed then. */
export async function connected<T>(
  url: string,
  work: (server: postgres.Sql) => Promise<T>,
): Promise<T> {
  const options = { fetch_types: false, connect_timeout: CONNECT_TIMEOUT_S };
  const server = postgres(url, { max: 1, onnotice: () => {}, ...options });
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

/** The connection strings of a provisioned database. */
export function databaseUrls(
  adminUrl: string,
  database: string,
  password: Passwords,
): Record<ServiceName, DatabaseUrls> {
  const urlOf = (role: string) => {
    const url = new URL(withDatabase(adminUrl, database));
    url.username = role;
    url.password = password(role);
    return url.href;
  };
  const entries = SERVICES.map((service) => {
    const [owner, user] = rolesOf(service);
    return [service, { url: urlOf(user), ownerUrl: urlOf(owner) }] as const;
  });
  return Object.fromEntries(entries) as Record<ServiceName, DatabaseUrls>;
}

/** Who owns the tables of a service and migrates them, and what the service runs as. */
export function rolesOf(service: ServiceName): [owner: string, user: string] {
  return [`media_${service}_owner`, `media_${service}`];
}

function withDatabase(url: string, database: string): string {
  const result = new URL(url);
  result.pathname = `/${database}`;
  return result.href;
}

async function ensureRole(
  server: postgres.Sql,
  role: string,
  passwordOf: (role: string, isNew: boolean) => string | undefined,
): Promise<void> {
  const [found] = await server`select 1 as one from pg_roles where rolname = ${role}`;
  const given = passwordOf(role, found === undefined);
  const [quoted] =
    given === undefined
      ? []
      : await server<{ text: string }[]>`select quote_literal(${given}) as text`;
  const password = quoted ? ` password ${quoted.text}` : "";
  // A role that is made without its password would be taken as one that has it by the next run.
  if (!found) await server.unsafe(`create role ${role} login${password}`);
  else if (quoted) await server.unsafe(`alter role ${role}${password}`);
  // Who is no superuser may create a schema only for a role whose rights it has; creating the role does not give them.
  const [may] = await server`select pg_has_role(${role}, 'usage') as inherits`;
  if (may?.["inherits"] !== true) await server.unsafe(`grant ${role} to current_user`);
  if (!role.endsWith("_owner")) {
    // Services that reach Postgres through PgBouncer cannot set these for a session.
    const [version] = await server<{ number: number }[]>`
      select current_setting('server_version_num')::int as number`;
    const isKnown = (version?.number ?? 0) >= TRANSACTION_TIMEOUT_SINCE;
    const settings = {
      ...postgresSettings(LIMITS),
      ...(isKnown ? { transaction_timeout: LIMITS.transaction } : {}),
    };
    for (const [name, value] of Object.entries(settings)) {
      await server.unsafe(`alter role ${role} set ${name} = ${value}`);
    }
  } else await server.unsafe(`alter role ${role} set lock_timeout = ${MIGRATION_LOCK_MS}`);
}
