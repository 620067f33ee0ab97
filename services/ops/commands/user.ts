/** `user create`: someone who signs in to the dashboard and owns an account. */
import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { accountOption, jsonOption } from "../options.ts";
import { run } from "../session.ts";

type Options = { account: string; email: string; name: string; json?: boolean };

export function userCommand(): Command {
  const user = new Command("user").description("make users of the dashboard");
  user
    .command("create")
    .description("make a user who owns an account; the password is shown this once")
    .addOption(accountOption())
    .requiredOption("--email <address>", "what the user signs in with")
    .requiredOption("--name <name>", "what people call the user")
    .addOption(jsonOption())
    .action(({ account: accountId, email, name, json }: Options) =>
      run(json, async ({ client }) => {
        const password = randomBytes(15).toString("base64url");
        const request = { accountId, email, name, password };
        const answer = await client("gateway", AccountService).createUser(request);
        if (!answer.created) throw new Error(`there is a user with the e-mail ${email} already`);
        return { id: answer.userId, email, password };
      }),
    );
  return user;
}
