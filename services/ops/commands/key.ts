/** `key …`: creates, lists and revokes API keys. */
import { Option } from "commander";
import type { ApiKey } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, csvOption, listOf, modeOption, parseList, parseTokens } from "./options.ts";
import { rowOf, timeOrNull, type Fields } from "../session/print.ts";

type CreateOptions = {
  account: string;
  mode: Mode;
  name: string;
  access: string;
  kinds?: string[];
  models?: string[];
  dayTokens?: bigint;
  monthTokens?: bigint;
};

const KEY: Fields<ApiKey> = {
  id: ({ id }) => id,
  mode: ({ mode }) => modeName(mode),
  name: ({ name }) => name,
  key: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
  access: ({ permissions }) => permissions?.access ?? "full",
  kinds: ({ permissions }) => permissions?.kinds.join(",") ?? "",
  models: ({ permissions }) => permissions?.models.join(",") ?? "",
  created_by: ({ createdBy }) => createdBy,
  created_at: ({ createdAt }) => timeOrNull(createdAt),
  last_used_at: ({ lastUsedAt }) => timeOrNull(lastUsedAt),
  expires_at: ({ expiresAt }) => timeOrNull(expiresAt),
  revoked_at: ({ revokedAt }) => timeOrNull(revokedAt),
};

export function keyCommand(): OpsCommand {
  const parent = new OpsCommand("key").description("create, list and revoke API keys");
  parent
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
    .printsRow(async ({ accounts }, options: CreateOptions) => {
      const { account: accountId, mode, name, dayTokens, monthTokens } = options;
      const { access, kinds = [], models = [] } = options;
      const { key, secret } = await accounts.createKey({
        accountId,
        mode,
        name,
        permissions: { access, kinds, models },
        dayTokens,
        monthTokens,
      });
      return {
        id: key?.id ?? "",
        account_id: accountId,
        mode: modeName(mode),
        name,
        key: secret,
      };
    });
  parent
    .command("list")
    .description("list an account's keys, newest first, without their text")
    .addOption(accountOption())
    .addOption(csvOption())
    .printsRows(KEY, async ({ accounts }, { account: accountId }: { account: string }) => {
      return (await accounts.listKeys({ accountId })).keys;
    });
  parent
    .command("revoke")
    .description("revoke a key for good")
    .addOption(accountOption())
    .requiredOption("--key <id>", "the key's id, key_…")
    .printsRow(async ({ accounts }, options: { account: string; key: string }) => {
      const request = { accountId: options.account, keyId: options.key };
      const { key } = await accounts.revokeKey(request);
      if (!key) throw new Error("the response has no key");
      return rowOf(KEY, key);
    });
  return parent;
}
