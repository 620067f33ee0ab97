/** `key …`: creates, lists and revokes API keys. */
import { Command, Option } from "commander";
import { AccountService, type ApiKey } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import {
  accountOption,
  csvOption,
  jsonOption,
  listOf,
  modeOption,
  parseList,
  parseTokens,
} from "./options.ts";
import { run, runList, type Format } from "../session/session.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";

type CreateOptions = {
  account: string;
  mode: Mode;
  name: string;
  access: string;
  kinds?: string[];
  models?: string[];
  dayTokens?: bigint;
  monthTokens?: bigint;
  json?: boolean;
};

export function keyCommand(): Command {
  const key = new Command("key").description("create, list and revoke API keys");
  key
    .command("create")
    .description("create an API key; it is shown only this once")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .option("--name <name>", "display name", "")
    .addOption(
      new Option("--access <access>", "everything, or reads only")
        .choices(["full", "read"])
        .default("full"),
    )
    .option("--kinds <list>", "creates only these: video, image", listOf(["video", "image"]))
    .option("--models <list>", "creates only with these models: a,b", parseList)
    .option("--day-tokens <n>", "live Tokens that it may use a day, UTC", parseTokens)
    .option("--month-tokens <n>", "live Tokens that it may use a calendar month, UTC", parseTokens)
    .addOption(jsonOption())
    .action((options: CreateOptions) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode, name, dayTokens, monthTokens } = options;
        const { access, kinds = [], models = [] } = options;
        const response = await client("gateway", AccountService).createKey({
          accountId,
          mode,
          name,
          permissions: { access, kinds, models },
          dayTokens,
          monthTokens,
        });
        return {
          id: response.key?.id ?? "",
          account_id: accountId,
          mode: modeName(mode),
          name,
          key: response.secret,
        };
      }),
    );
  key
    .command("list")
    .description("list an account's keys, newest first, without their text")
    .addOption(accountOption())
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async (options: Format & { account: string }) => {
      await runList(options, KEY_COLUMNS, async ({ client }) => {
        const request = { accountId: options.account };
        return (await client("gateway", AccountService).listKeys(request)).keys.map(keyRow);
      });
    });
  key
    .command("revoke")
    .description("revoke a key for good")
    .addOption(accountOption())
    .requiredOption("--key <id>", "the key's id, key_…")
    .addOption(jsonOption())
    .action((options: { account: string; key: string; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const request = { accountId: options.account, keyId: options.key };
        const response = await client("gateway", AccountService).revokeKey(request);
        if (!response.key) throw new Error("the response has no key");
        return keyRow(response.key);
      }),
    );
  return key;
}

const KEY_COLUMNS = [
  "id",
  "mode",
  "name",
  "key",
  "access",
  "kinds",
  "models",
  "created_by",
  "created_at",
  "last_used_at",
  "expires_at",
  "revoked_at",
];

function keyRow(key: ApiKey): OutputRow {
  return {
    id: key.id,
    mode: modeName(key.mode),
    name: key.name,
    key: `${key.prefix}…${key.lastFour}`,
    access: key.permissions?.access ?? "full",
    kinds: key.permissions?.kinds.join(",") ?? "",
    models: key.permissions?.models.join(",") ?? "",
    created_by: key.createdBy,
    created_at: timeOrNull(key.createdAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
  };
}
