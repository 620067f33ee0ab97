/** `webhook …`: an account's signing secret, deliveries and disabled URLs. */
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  DisabledReason,
  type Delivery,
  type DisabledUrl,
  type GetWebhookSecretResponse,
  type RotateWebhookSecretResponse,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { deliveryStatusName } from "#vocabulary/delivery-status.ts";
import { modeName } from "#vocabulary/mode.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, csvOption, modeOption, parseCount } from "./options.ts";
import { timeOrNull, type Fields, type OutputRow } from "../session/print.ts";

type Owner = { account: string; mode: Mode };

const MAX_LISTED = 100;

const DELIVERY: Fields<Delivery> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => timeOrNull(createdAt),
  type: ({ type }) => type,
  generation_id: ({ generationId }) => generationId ?? null,
  url: ({ url }) => url,
  status: ({ status }) => deliveryStatusName(status) ?? null,
  attempts: ({ attempts }) => attempts.length,
  last: ({ attempts }) => {
    const last = attempts.at(-1);
    return last ? String(last.statusCode ?? last.error) : null;
  },
  next_attempt_at: ({ nextAttemptAt }) => timeOrNull(nextAttemptAt),
};

const DISABLED_URL: Fields<DisabledUrl> = {
  url: ({ url }) => url,
  reason: ({ reason }) => (reason === DisabledReason.GONE ? "gone" : "failing"),
  disabled_at: ({ disabledAt }) => timeOrNull(disabledAt),
};

export function webhookCommand(): OpsCommand {
  const webhook = new OpsCommand("webhook").description("show and repair an account's webhooks");
  const ownedCommand = (name: string, description: string) =>
    webhook
      .command(name)
      .description(description)
      .addOption(accountOption())
      .addOption(modeOption().makeOptionMandatory());

  ownedCommand("secret", "show the secret that webhooks are signed with").printsRow(
    async ({ delivery }, owner: Owner) =>
      secretRow(owner, await delivery.getWebhookSecret(ownerOf(owner))),
  );
  ownedCommand("rotate", "create a new secret; older ones also sign for 24 hours")
    .option("--replaces <version>", "only if the newest secret has this version", parseCount)
    .printsRow(async ({ delivery }, options: Owner & { replaces?: number }) => {
      const request = { ...ownerOf(options), replacesVersion: options.replaces };
      return secretRow(options, await delivery.rotateWebhookSecret(request));
    });
  ownedCommand("test", "send a webhook.test event to a URL")
    .requiredOption("--url <url>", "the URL")
    .printsRow(async (session, { url, ...owner }: Owner & { url: string }) => {
      const { delivery } = await session.delivery.sendTestEvent({ ...ownerOf(owner), url });
      return { id: delivery?.id ?? "", event_id: delivery?.eventId ?? "", url };
    });
  ownedCommand("urls", "list disabled URLs, newest first")
    .addOption(csvOption())
    .printsRows(DISABLED_URL, async ({ delivery }, owner: Owner) => {
      return (await delivery.listDisabledUrls({ ...ownerOf(owner), limit: MAX_LISTED })).urls;
    });
  ownedCommand("enable", "enable a disabled URL again and send the webhooks it held back")
    .requiredOption("--url <url>", "the exact URL")
    .printsRow(async ({ delivery }, { url, ...owner }: Owner & { url: string }) => {
      const { wasDisabled, resumed } = await delivery.enableUrl({ ...ownerOf(owner), url });
      return { url, was_disabled: wasDisabled, resumed };
    });
  ownedCommand("deliveries", "list the latest deliveries, newest first")
    .option("--generation <id>", "only deliveries of this generation")
    .addOption(csvOption())
    .printsRows(DELIVERY, async ({ delivery }, options: Owner & { generation?: string }) => {
      const { generation: generationId, ...owner } = options;
      const request = { ...ownerOf(owner), generationId, limit: MAX_LISTED };
      return (await delivery.listDeliveries(request)).deliveries;
    });
  return webhook;
}

function ownerOf({ account: accountId, mode }: Owner) {
  return { accountId, mode };
}

function secretRow(
  { account, mode }: Owner,
  current: GetWebhookSecretResponse | RotateWebhookSecretResponse,
): OutputRow {
  const { secret, version, olderValidUntil } = current;
  return {
    account_id: account,
    mode: modeName(mode),
    secret,
    version,
    older_valid_until: timeOrNull(olderValidUntil),
  };
}
