/** `user create`: creates a dashboard user who owns an account. */
import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { accountOption, jsonOption } from "../options.ts";
import { run } from "../session.ts";

type Options = { account: string; email: string; name: string; json?: boolean };

export function userCommand(): Command {
  const user = new Command("user").description("create users of the dashboard");
  user
    .command("create")
    .description("create a user who owns an account; the password is shown only this once")
    .addOption(accountOption())
    .requiredOption("--email <address>", "the address to sign in with")
    .requiredOption("--name <name>", "display name")
    .addOption(jsonOption())
    .action(({ account: accountId, email, name, json }: Options) =>
      run(json, async ({ client }) => {
        const password = randomBytes(15).toString("base64url");
        const request = { accountId, email, name, password };
        const response = await client("gateway", AccountService).createUser(request);
        if (!response.created) throw new Error(`a user with the e-mail ${email} exists already`);
        return { id: response.userId, email, password };
      }),
    );
  return user;
}
