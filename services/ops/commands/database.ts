/** `provision`, `migrate`: prepare a Postgres before the services start. */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Argument, Command } from "commander";
import { migrate } from "#runtime/postgres/migrate.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { readMigrateConfig, readProvisionConfig } from "../session/config.ts";
import { jsonOption } from "./options.ts";
import { existingRoles, provisionDatabase, rolesOf, SERVICES } from "../setup/provision.ts";
import { print, printList } from "../session/session.ts";

export function provisionCommand(): Command {
  return new Command("provision")
    .description("create database, schemas and roles in a Postgres of your own; may be repeated")
    .option("--database <name>", "the database", "media")
    .addOption(jsonOption())
    .action(async (options: { database: string; json?: boolean }) => {
      const { adminUrl, passwords: given } = readProvisionConfig(process.env);
      const existing = await existingRoles(adminUrl);
      const roles = SERVICES.flatMap(rolesOf);
      const made = roles
        .filter((role) => !given.has(role) && !existing.has(role))
        .map((role) => [role, randomBytes(32).toString("base64url")] as const);
      const passwords = new Map([...given, ...made]);
      const rows = roles.map((role) => ({
        role,
        password: new Map(made).get(role) ?? (given.has(role) ? "as given" : "unchanged"),
      }));
      try {
        await provisionDatabase(adminUrl, options.database, passwords);
      } finally {
        // The list is printed after a failure, too: roles may have been made whose passwords nothing else knows.
        printList(options, ["role", "password"], rows);
      }
    });
}

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring a service's schema up to date, as the role that owns it")
    .addArgument(new Argument("<service>", "whose schema").choices(SERVICES))
    .addOption(jsonOption())
    .action(async (service: ServiceName, { json }: { json?: boolean }) => {
      const { url } = readMigrateConfig(process.env);
      const directory = fileURLToPath(new URL(`../../${service}/migrations`, import.meta.url));
      const { versions, hasNewFunctions } = await migrate({
        url,
        schema: service,
        directory,
        onWait: (reason) =>
          void process.stderr.write(`ops: ${service} waits for its migration: ${reason}\n`),
      });
      print(json, {
        schema: service,
        migrations: versions.length > 0 ? `applied: ${versions.join(", ")}` : "up to date",
        functions: hasNewFunctions ? "applied" : "up to date",
      });
    });
}
