/** `key …`: creates, lists and revokes API keys. */
import { Command } from "commander";
import { AccountService, type ApiKey } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import { accountOption, csvOption, jsonOption, modeOption } from "./options.ts";
import { run, runList, type Format } from "../session/session.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";

export function keyCommand(): Command {
  const key = new Command("key").description("create, list and revoke API keys");
  key
    .command("create")
    .description("create an API key; it is shown only this once")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .option("--name <name>", "display name", "")
    .addOption(jsonOption())
    .action((options: { account: string; mode: Mode; name: string; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode, name } = options;
        const request = { accountId, mode, name };
        const response = await client("gateway", AccountService).createKey(request);
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
    created_by: key.createdBy,
    created_at: timeOrNull(key.createdAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
  };
}
