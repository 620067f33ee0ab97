/** Uses a Postgres that the operator runs: provisions it if it may, and checks that all services can sign in. */
import { SERVICES, type ServiceName } from "#runtime/service/service.ts";
import { passwordVariable } from "../ops/session/config.ts";
import {
  connected,
  databaseUrls,
  provisionDatabase,
  type DatabaseUrls,
  type Passwords,
} from "../ops/setup/provision.ts";
import type { ExternalPostgres } from "./settings/config.ts";
import { StartError } from "./settings/start-error.ts";

const DEFAULT_DATABASE = "media";

/**
 * Creates the database, schemas and roles that are missing if the user of `adminUrl` may create roles. Passwords of
 * existing roles are never changed: other processes may use them. A new role gets `made(role)` if none was given.
 */
export async function openPostgres(
  { adminUrl, passwords }: ExternalPostgres,
  made: Passwords,
): Promise<Record<ServiceName, DatabaseUrls>> {
  const named = decodeURIComponent(new URL(adminUrl).pathname.slice(1));
  const database = ["", "postgres"].includes(named) ? DEFAULT_DATABASE : named;
  const passwordOf = (role: string) => passwords.get(role) ?? made(role);
  try {
    const [user] = await connected(
      adminUrl,
      (sql) =>
        sql`select rolcreaterole or rolsuper as may from pg_roles where rolname = current_user`,
    );
    if (user?.["may"] === true) {
      const ofNew = (role: string, isNew: boolean) => (isNew ? passwordOf(role) : undefined);
      await provisionDatabase(adminUrl, database, ofNew);
    }
  } catch (error) {
    throw new StartError(`DATABASE_URL cannot be used: ${(error as Error).message}`);
  }
  const urls = databaseUrls(adminUrl, database, passwordOf);
  await Promise.all(SERVICES.map((service) => checkSignIn(urls[service])));
  return urls;
}

async function checkSignIn({ url, ownerUrl }: DatabaseUrls): Promise<void> {
  for (const roleUrl of [ownerUrl, url]) {
    const role = new URL(roleUrl).username;
    await connected(roleUrl, (sql) => sql`select 1`).catch((error: Error) => {
      throw new StartError(
        `The role ${role} cannot sign in to the Postgres of DATABASE_URL: ${error.message}. ` +
          `Set ${passwordVariable(role)} to its password, or name a user that may create roles if it does not exist.`,
      );
    });
  }
}
