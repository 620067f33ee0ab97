/** `service-token`: issues a token for an internal caller. */
import { InvalidArgumentError, Option } from "commander";
import { addMs, systemClock } from "#runtime/clock.ts";
import { MAX_TOKEN_SECONDS, tokenIssuer } from "#runtime/rpc/service-token.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { OpsCommand } from "./ops-command.ts";
import { parseDuration } from "./options.ts";
import { SERVICES } from "../setup/provision.ts";

type Options = { caller: string; service: ServiceName; ttl: number };

export function serviceTokenCommand(): OpsCommand {
  return new OpsCommand("service-token")
    .description("issue a token that lets an internal caller use the RPCs of a service open to it")
    .requiredOption(
      "--caller <name>",
      "the name of the caller, as in the services' logs; not a service's",
      parseCaller,
    )
    .addOption(serviceOption())
    .option(
      "--ttl <time>",
      "how long it is valid, e.g. 2m, at most 5m",
      parseTtl,
      MAX_TOKEN_SECONDS,
    )
    .printsRow(async ({ config }, { caller, service, ttl }: Options) => {
      const issue = tokenIssuer(config.key, systemClock);
      const token = await issue({ caller, audience: service, ttlSeconds: ttl });
      const expiresAt = addMs(systemClock.now(), ttl * 1000).toISOString();
      return { caller, service, token, expires_at: expiresAt };
    });
}

const serviceOption = (): Option =>
  new Option("--service <name>", "the one service that accepts it")
    .choices(SERVICES)
    .makeOptionMandatory();

/** A service accepts its peers' names only with their own keys. */
function parseCaller(text: string): string {
  if (!(SERVICES as readonly string[]).includes(text)) return text;
  throw new InvalidArgumentError(
    "Services sign their calls with their own keys: no service would accept this token. Name the team or program that calls.",
  );
}

function parseTtl(text: string): number {
  const seconds = parseDuration(text);
  if (seconds <= MAX_TOKEN_SECONDS) return seconds;
  throw new InvalidArgumentError("It must be at most 5m.");
}
