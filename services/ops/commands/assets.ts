/** `assets usage|limit|retention|delete`: what an account stores, may store and keeps, and its deletion. */
import { InvalidArgumentError, Option } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Storage } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { modeName } from "#vocabulary/mode.ts";
import { OpsCommand } from "./ops-command.ts";
import {
  accountOption,
  FOR_EVER,
  modeOption,
  retentionDays,
  type RetentionDays,
} from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import type { Session } from "../session/session.ts";

type Account = { account: string };
type NewLimit = { mode: Mode; bytes: bigint | typeof DEFAULT_LIMIT };

const DAY_MS = 24 * 3_600_000;
const NO_LIMIT = "none";
const DEFAULT_LIMIT = "default";

export function assetsCommand(): OpsCommand {
  const assets = new OpsCommand("assets").description(
    "show, limit and delete the stored outputs of an account",
  );
  assets
    .command("usage")
    .description("show how much is stored, its limits and the retention")
    .addOption(accountOption())
    .printsRow(async ({ delivery }, { account: accountId }: Account) => {
      const usage = await delivery.getUsage({ accountId });
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
    });
  assets
    .command("limit")
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
    .printsRow(async ({ delivery }, options: Account & NewLimit) => {
      const { account: accountId, mode, bytes } = options;
      const limitBytes = bytes === DEFAULT_LIMIT ? undefined : bytes;
      const { storage } = await delivery.setStorageLimit({ accountId, mode, limitBytes });
      return { account_id: accountId, ...(storage && storageRow(storage)) };
    });
  assets
    .command("retention")
    .description("set how long outputs are kept; older ones are deleted within the hour")
    .addOption(accountOption())
    .requiredOption(
      "--days <n>",
      `days since a file was stored, or "${FOR_EVER}"`,
      retentionDays(1),
    )
    .printsRow(async ({ delivery }, options: Account & { days: RetentionDays }) => {
      const { account: accountId, days } = options;
      await delivery.setRetention({ accountId, days: days === FOR_EVER ? undefined : days });
      return { account_id: accountId, retention_days: days };
    });
  const generation = new Option("--generation <id>", "the outputs of this generation");
  assets
    .command("delete")
    .description("delete stored outputs for good; their URLs return 410 within seconds")
    .addOption(accountOption())
    .addOption(generation.conflicts("olderThan"))
    .option("--older-than <days>", "all outputs stored more days ago", parseAge)
    .printsRow(deleteAssets);
  return assets;
}

async function deleteAssets(
  { delivery }: Session,
  {
    account: accountId,
    generation: generationId,
    olderThan,
  }: Account & { generation?: string; olderThan?: number },
): Promise<OutputRow> {
  if (generationId === undefined && olderThan === undefined) {
    throw new UsageError("name what to delete: --generation or --older-than");
  }
  const before = addMs(systemClock.now(), -(olderThan ?? 0) * DAY_MS);
  const which =
    generationId === undefined ? { storedBefore: timestampFromDate(before) } : { generationId };
  const { deleted } = await delivery.deleteAssets({ accountId, ...which });
  return {
    account_id: accountId,
    deleted_outputs: Number(deleted?.outputs ?? 0n),
    deleted_bytes: Number(deleted?.bytes ?? 0n),
  };
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

/** The age in days; 0 means all outputs. */
function parseAge(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days <= 36_500) return days;
  throw new InvalidArgumentError("It must be a number of days from 0 to 36500.");
}
