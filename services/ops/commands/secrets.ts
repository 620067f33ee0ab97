/** `webhook-secret` and `service-token`: what a receiver and an internal caller need. */
import { Command } from "commander";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { modeName } from "#runtime/mode.ts";
import { tokenIssuer } from "#runtime/service-token.ts";
import { accountOption, jsonOption, modeOption, parseDuration } from "../options.ts";
import { run } from "../session.ts";

export function webhookSecretCommand(): Command {
  return new Command("webhook-secret")
    .description("show the secret that an account's webhooks are signed with")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action((options: { account: string; mode: Mode; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode } = options;
        const request = { accountId, mode };
        const { secret } = await client("delivery", DeliveryService).getWebhookSecret(request);
        return { account_id: accountId, mode: modeName(mode), secret };
      }),
    );
}

export function serviceTokenCommand(): Command {
  return new Command("service-token")
    .description("issue a token that lets an internal caller use the RPCs open to it")
    .requiredOption("--caller <name>", "who calls; it stands in the services' logs")
    .option("--ttl <time>", "how long it is good for, e.g. 10m", parseDuration, 600)
    .addOption(jsonOption())
    .action((options: { caller: string; ttl: number; json?: boolean }) =>
      run(options.json, async ({ config }) => {
        const token = await tokenIssuer(config.key, systemClock)(options.caller, options.ttl);
        const expiresAt = addMs(systemClock.now(), options.ttl * 1000).toISOString();
        return { caller: options.caller, token, expires_at: expiresAt };
      }),
    );
}
