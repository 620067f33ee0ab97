/** `webhook …`: an account's signing secret, deliveries and disabled URLs. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Command } from "commander";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  DeliveryService,
  DisabledReason,
  type Delivery,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { deliveryStatusName } from "#vocabulary/delivery-status.ts";
import { modeName } from "#vocabulary/mode.ts";
import { accountOption, csvOption, jsonOption, modeOption, parseCount } from "./options.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run, runList, type Format, type Session } from "../session/session.ts";

type OwnerOptions = { account: string; mode: Mode; json?: boolean };

const MAX_LISTED = 100;
const DELIVERY_COLUMNS = [
  "id",
  "created_at",
  "type",
  "generation_id",
  "url",
  "status",
  "attempts",
  "last",
  "next_attempt_at",
];

export function webhookCommand(): Command {
  return new Command("webhook")
    .description("show and repair an account's webhooks")
    .addCommand(secretCommand())
    .addCommand(rotateCommand())
    .addCommand(testCommand())
    .addCommand(urlsCommand())
    .addCommand(enableCommand())
    .addCommand(deliveriesCommand());
}

function ownedCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(jsonOption());
}

function secretCommand(): Command {
  return ownedCommand("secret", "show the secret that webhooks are signed with").action(
    (options: OwnerOptions) =>
      run(options.json, async (session) => {
        const secret = await rpc(session).getWebhookSecret(ownerOf(options));
        return secretRow(options, secret);
      }),
  );
}

function rotateCommand(): Command {
  return ownedCommand("rotate", "create a new secret; older ones also sign for 24 hours")
    .option("--replaces <version>", "only if the newest secret has this version", parseCount)
    .action((options: OwnerOptions & { replaces?: number }) =>
      run(options.json, async (session) => {
        const request = { ...ownerOf(options), replacesVersion: options.replaces };
        return secretRow(options, await rpc(session).rotateWebhookSecret(request));
      }),
    );
}

function testCommand(): Command {
  return ownedCommand("test", "send a webhook.test event to a URL")
    .requiredOption("--url <url>", "the URL")
    .action((options: OwnerOptions & { url: string }) =>
      run(options.json, async (session) => {
        const request = { ...ownerOf(options), url: options.url };
        const { delivery } = await rpc(session).sendTestEvent(request);
        return { id: delivery?.id ?? "", event_id: delivery?.eventId ?? "", url: options.url };
      }),
    );
}

function urlsCommand(): Command {
  return ownedCommand("urls", "list disabled URLs, newest first")
    .addOption(csvOption())
    .action(async (options: OwnerOptions & Format) => {
      await runList(options, ["url", "reason", "disabled_at"], async (session) => {
        const { urls } = await rpc(session).listDisabledUrls({
          ...ownerOf(options),
          limit: MAX_LISTED,
        });
        return urls.map(({ url, reason, disabledAt }) => ({
          url,
          reason: reason === DisabledReason.GONE ? "gone" : "failing",
          disabled_at: timeOrNull(disabledAt),
        }));
      });
    });
}

function enableCommand(): Command {
  return ownedCommand("enable", "enable a disabled URL again and send the webhooks it held back")
    .requiredOption("--url <url>", "the exact URL")
    .action((options: OwnerOptions & { url: string }) =>
      run(options.json, async (session) => {
        const request = { ...ownerOf(options), url: options.url };
        const { wasDisabled, resumed } = await rpc(session).enableUrl(request);
        return { url: options.url, was_disabled: wasDisabled, resumed };
      }),
    );
}

function deliveriesCommand(): Command {
  return ownedCommand("deliveries", "list the latest deliveries, newest first")
    .option("--generation <id>", "only deliveries of this generation")
    .addOption(csvOption())
    .action(async (options: OwnerOptions & Format & { generation?: string }) => {
      await runList(options, DELIVERY_COLUMNS, async (session) => {
        const generationId = options.generation;
        const request = { ...ownerOf(options), generationId, limit: MAX_LISTED };
        return (await rpc(session).listDeliveries(request)).deliveries.map(deliveryRow);
      });
    });
}

const rpc = ({ client }: Session) => client("delivery", DeliveryService);

function ownerOf({ account, mode }: OwnerOptions) {
  return { accountId: account, mode };
}

function secretRow(
  { account, mode }: OwnerOptions,
  current: { secret: string; version: number; olderValidUntil?: Timestamp | undefined },
): OutputRow {
  const { secret, version, olderValidUntil } = current;
  const until = timeOrNull(olderValidUntil);
  const owner = { account_id: account, mode: modeName(mode) };
  return { ...owner, secret, version, older_valid_until: until };
}

function deliveryRow(delivery: Delivery): OutputRow {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    created_at: timeOrNull(delivery.createdAt),
    type: delivery.type,
    generation_id: delivery.generationId ?? null,
    url: delivery.url,
    status: deliveryStatusName(delivery.status) ?? null,
    attempts: delivery.attempts.length,
    last: last ? String(last.statusCode ?? last.error) : null,
    next_attempt_at: timeOrNull(delivery.nextAttemptAt),
  };
}
