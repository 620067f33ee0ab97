/** Creates a database with a schema and two roles for each service: an owner of the tables and a user of them. */
import postgres from "postgres";
import type { ServiceName } from "#runtime/service.ts";

export const SERVICES = [
  "gateway",
  "generation",
  "billing",
  "delivery",
] as const satisfies ServiceName[];

/** The connection strings of one service, with access to its own schema only. */
export type DatabaseUrls = { url: string; ownerUrl: string };

export type Passwords = (role: string) => string;

/** Creates what is missing and sets the passwords. `superuserUrl` names the maintenance database. */
export async function provision(
  superuserUrl: string,
  database: string,
  password: Passwords,
): Promise<Record<ServiceName, DatabaseUrls>> {
  const server = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    for (const role of SERVICES.flatMap(rolesOf)) await ensureRole(server, role, password(role));
    const [found] = await server`select 1 as one from pg_database where datname = ${database}`;
    if (!found) await server.unsafe(`create database "${database}"`);
  } finally {
    await server.end();
  }
  const inside = postgres(withPath(superuserUrl, database), { max: 1, onnotice: () => {} });
  try {
    await inside.unsafe("revoke all on schema public from public");
    for (const service of SERVICES) {
      const [owner, user] = rolesOf(service);
      await inside.unsafe(`create schema if not exists ${service} authorization ${owner}`);
      await inside.unsafe(`grant usage on schema ${service} to ${user}`);
    }
  } finally {
    await inside.end();
  }
  return databaseUrls(superuserUrl, database, password);
}

/** The connection strings of a provisioned database. */
export function databaseUrls(
  superuserUrl: string,
  database: string,
  password: Passwords,
): Record<ServiceName, DatabaseUrls> {
  const urlOf = (role: string) => {
    const url = new URL(withPath(superuserUrl, database));
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

function rolesOf(service: ServiceName): [owner: string, user: string] {
  return [`media_${service}_owner`, `media_${service}`];
}

function withPath(url: string, database: string): string {
  const result = new URL(url);
  result.pathname = `/${database}`;
  return result.href;
}

async function ensureRole(server: postgres.Sql, role: string, password: string): Promise<void> {
  const [found] = await server`select 1 as one from pg_roles where rolname = ${role}`;
  if (!found) await server.unsafe(`create role ${role} login`);
  const [quoted] = await server<{ text: string }[]>`select quote_literal(${password}) as text`;
  await server.unsafe(`alter role ${role} with password ${quoted?.text}`);
}
