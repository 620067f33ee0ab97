/** `provision`, `migrate`, `service-key` and `service-token`: what services and their callers need before they call. */
import { randomBytes } from "node:crypto";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { addMs, systemClock } from "#runtime/clock.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { MAX_TOKEN_SECONDS, tokenIssuer } from "#runtime/rpc/service-token.ts";
import { SERVICES, schemaOf, type ServiceName } from "#runtime/service/service.ts";
import { readConfig, readMigrateConfig, readProvisionConfig } from "../session/config.ts";
import { print, printList, type Format } from "../session/print.ts";
import { KEY_OWNERS, openIdentities, rotateKey, type KeyOwner } from "../setup/identities.ts";
import { provisionDatabase } from "../setup/provision.ts";

export function provisionCommand(): Command {
  return new Command("provision")
    .description("create database, schemas and roles in a Postgres of your own; may be repeated")
    .option("--database <name>", "the database", "media")
    .option("--json", "print JSON")
    .action(async (options: Format & { database: string }) => {
      const { adminUrl, passwords: given } = readProvisionConfig(process.env);
      const rows: { role: string; password: string }[] = [];
      const passwordOf = (role: string, isNew: boolean) => {
        const made = isNew ? randomBytes(32).toString("base64url") : undefined;
        rows.push({ role, password: given.has(role) ? "as given" : (made ?? "unchanged") });
        return given.get(role) ?? made;
      };
      try {
        await provisionDatabase(adminUrl, options.database, passwordOf);
      } finally {
        // The list is printed after a failure, too: roles may have been made whose passwords nothing else knows.
        if (rows.length > 0) printList(options, ["role", "password"], rows);
      }
    });
}

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring a service's schema up to date, as the role that owns it")
    .addArgument(new Argument("<service>", "whose schema").choices(SERVICES))
    .option("--json", "print JSON")
    .action(async (service: ServiceName, { json }: Format) => {
      const { url } = readMigrateConfig(process.env);
      const { versions, hasNewFunctions } = await migrate({
        url,
        ...schemaOf(service),
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

const NEXT_STEPS = {
  trusted: "give trusted.json to every service and restart them all, then repeat this command",
  used: "give this key to its service and restart it; the earlier key stays trusted until the next rotation",
};

export function serviceKeyCommand(): Command {
  const keys = new Command("service-key").description(
    "the keys with which services sign their calls",
  );
  keys
    .command("init")
    .description("make a private key for each service and the operator, and trusted.json")
    .requiredOption("--directory <path>", "where to write them; nothing is overwritten")
    .option("--json", "print JSON")
    .action(async (options: Format & { directory: string }) => {
      const { trustedFile, isNew } = await openIdentities(options.directory);
      const keys = isNew ? "made" : "there already; nothing was changed";
      print(options.json, { trusted_keys_file: trustedFile, keys });
    });
  keys
    .command("rotate")
    .description("give a service another key, in two runs: first it is trusted, then it is used")
    .addArgument(new Argument("<service>", "whose key").choices(KEY_OWNERS))
    .requiredOption("--directory <path>", "the folder of `service-key init`")
    .option("--json", "print JSON")
    .action(async (owner: KeyOwner, options: Format & { directory: string }) => {
      const rotated = await rotateKey(options.directory, owner);
      print(options.json, { ...rotated, next: NEXT_STEPS[rotated.state] });
    });
  return keys;
}

export function serviceTokenCommand(): Command {
  return new Command("service-token")
    .description(
      "issue a token that lets an internal caller use the RPCs of a service open to it, for 5 minutes",
    )
    .requiredOption(
      "--caller <name>",
      "the name of the caller, as in the services' logs; not a service's",
      parseCaller,
    )
    .addOption(
      new Option("--service <name>", "the one service that accepts it")
        .choices(SERVICES)
        .makeOptionMandatory(),
    )
    .option("--json", "print JSON")
    .action(
      async ({ caller, service, json }: Format & { caller: string; service: ServiceName }) => {
        const issue = tokenIssuer(readConfig(process.env).key, systemClock);
        const token = await issue({ caller, audience: service });
        const expiresAt = addMs(systemClock.now(), MAX_TOKEN_SECONDS * 1_000).toISOString();
        print(json, { caller, service, token, expires_at: expiresAt });
      },
    );
}

/** A service accepts its peers' names only with their own keys. */
function parseCaller(text: string): string {
  if (text.trim() !== "" && !(SERVICES as readonly string[]).includes(text)) return text;
  throw new InvalidArgumentError(
    "Services sign their calls with their own keys: no service would accept this token. Name the team or program that calls.",
  );
}
