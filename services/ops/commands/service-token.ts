/** `service-token`: issues a token for an internal caller. */
import { Command } from "commander";
import { addMs, systemClock } from "#runtime/clock.ts";
import { tokenIssuer } from "#runtime/rpc/service-token.ts";
import { jsonOption, parseDuration } from "../options.ts";
import { run } from "../session.ts";

export function serviceTokenCommand(): Command {
  return new Command("service-token")
    .description("issue a token that lets an internal caller use the RPCs open to it")
    .requiredOption("--caller <name>", "the name of the caller, as in the services' logs")
    .option("--ttl <time>", "how long it is valid, e.g. 10m", parseDuration, 600)
    .addOption(jsonOption())
    .action((options: { caller: string; ttl: number; json?: boolean }) =>
      run(options.json, async ({ config }) => {
        const token = await tokenIssuer(config.key, systemClock)(options.caller, options.ttl);
        const expiresAt = addMs(systemClock.now(), options.ttl * 1000).toISOString();
        return { caller: options.caller, token, expires_at: expiresAt };
      }),
    );
}
