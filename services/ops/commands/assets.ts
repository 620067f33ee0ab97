/** `assets usage|limit|retention|delete`: what an account stores, may store and keeps, and its deletion. */
import { Command, InvalidArgumentError, Option } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService, type Storage } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { modeName } from "#vocabulary/mode.ts";
import {
  accountOption,
  FOR_EVER,
  jsonOption,
  modeOption,
  retentionDays,
  type RetentionDays,
} from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run } from "../session/session.ts";

type AccountOptions = { account: string; json?: boolean };

const DAY_MS = 24 * 3_600_000;

export function assetsCommand(): Command {
  return new Command("assets")
    .description("show, limit and delete the stored outputs of an account")
    .addCommand(usageCommand())
    .addCommand(limitCommand())
    .addCommand(retentionCommand())
    .addCommand(deleteCommand());
}

function usageCommand(): Command {
  return new Command("usage")
    .description("show how much is stored, its limits and the retention")
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(({ account: accountId, json }: AccountOptions) =>
      run(json, async ({ client }) => {
        const usage = await client("delivery", DeliveryService).getUsage({ accountId });
        return {
          account_id: accountId,
          outputs: Number(usage.kept?.outputs ?? 0n),
          bytes: Number(usage.kept?.bytes ?? 0n),
          oldest_stored_at: timeOrNull(usage.oldestKeptAt),
          deleted_outputs: Number(usage.deleted?.outputs ?? 0n),
          deleted_bytes: Number(usage.deleted?.bytes ?? 0n),
          retention_days: usage.retentionDays ?? FOR_EVER,
          ...Object.assign({}, ...usage.storage.map(storageRow)),
        };
      }),
    );
}

const NO_LIMIT = "none";
const DEFAULT_LIMIT = "default";

function limitCommand(): Command {
  return new Command("limit")
    .description(
      "set how many bytes of outputs and files may be stored; what would be more is refused",
    )
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption(
      "--bytes <n>",
      `bytes, "${NO_LIMIT}", or "${DEFAULT_LIMIT}": none in live mode, 2000000000 in test mode`,
      parseLimit,
    )
    .addOption(jsonOption())
    .action(
      ({
        account: accountId,
        mode,
        bytes,
        json,
      }: AccountOptions & { mode: Mode; bytes: bigint | typeof DEFAULT_LIMIT }) =>
        run(json, async ({ client }) => {
          const limitBytes = bytes === DEFAULT_LIMIT ? undefined : bytes;
          const request = { accountId, mode, limitBytes };
          const { storage } = await client("delivery", DeliveryService).setStorageLimit(request);
          return { account_id: accountId, ...(storage && storageRow(storage)) };
        }),
    );
}

function storageRow({ mode, usedBytes, limitBytes }: Storage): OutputRow {
  const name = modeName(mode);
  return {
    [`${name}_stored_bytes`]: Number(usedBytes),
    [`${name}_limit_bytes`]: limitBytes === undefined ? NO_LIMIT : Number(limitBytes),
  };
}

/** 0 means no limit. */
function parseLimit(text: string): bigint | typeof DEFAULT_LIMIT {
  if (text === NO_LIMIT) return 0n;
  if (text === DEFAULT_LIMIT) return text;
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError(
    `It must be a number of bytes from 1, "${NO_LIMIT}" or "${DEFAULT_LIMIT}".`,
  );
}

function retentionCommand(): Command {
  return new Command("retention")
    .description("set how long outputs are kept; older ones are deleted within the hour")
    .addOption(accountOption())
    .requiredOption(
      "--days <n>",
      `days since a file was stored, or "${FOR_EVER}"`,
      retentionDays(1),
    )
    .addOption(jsonOption())
    .action(({ account: accountId, days, json }: AccountOptions & { days: RetentionDays }) =>
      run(json, async ({ client }) => {
        const kept = days === FOR_EVER ? undefined : days;
        await client("delivery", DeliveryService).setRetention({ accountId, days: kept });
        return { account_id: accountId, retention_days: days };
      }),
    );
}

function deleteCommand(): Command {
  const generation = new Option("--generation <id>", "the outputs of this generation");
  const age = new Option("--older-than <days>", "all outputs stored more days ago").argParser(
    parseAge,
  );
  return new Command("delete")
    .description("delete stored outputs for good; their URLs return 410 within seconds")
    .addOption(accountOption())
    .addOption(generation.conflicts("olderThan"))
    .addOption(age)
    .addOption(jsonOption())
    .action(
      ({
        account: accountId,
        generation: generationId,
        olderThan,
        json,
      }: AccountOptions & { generation?: string; olderThan?: number }) =>
        run(json, async ({ client }) => {
          if (generationId === undefined && olderThan === undefined) {
            throw new UsageError("name what to delete: --generation or --older-than");
          }
          const before = addMs(systemClock.now(), -(olderThan ?? 0) * DAY_MS);
          const request =
            generationId === undefined
              ? { accountId, storedBefore: timestampFromDate(before) }
              : { accountId, generationId };
          const { deleted } = await client("delivery", DeliveryService).deleteAssets(request);
          return {
            account_id: accountId,
            deleted_outputs: Number(deleted?.outputs ?? 0n),
            deleted_bytes: Number(deleted?.bytes ?? 0n),
          };
        }),
    );
}

/** The age in days; 0 means all outputs. */
function parseAge(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days <= 36_500) return days;
  throw new InvalidArgumentError("It must be a number of days from 0 to 36500.");
}
