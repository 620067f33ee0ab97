/** `key create`: an API key, shown once. */
import { Command } from "commander";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#runtime/mode.ts";
import { accountOption, jsonOption, modeOption } from "../options.ts";
import { run } from "../session.ts";

export function keyCommand(): Command {
  const key = new Command("key").description("make API keys");
  key
    .command("create")
    .description("make an API key; its text is shown this once")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .option("--name <name>", "what people call it", "")
    .addOption(jsonOption())
    .action((options: { account: string; mode: Mode; name: string; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode, name } = options;
        const request = { accountId, mode, name };
        const answer = await client("gateway", AccountService).createKey(request);
        return {
          id: answer.key?.id ?? "",
          account_id: accountId,
          mode: modeName(mode),
          name,
          key: answer.secret,
        };
      }),
    );
  return key;
}
