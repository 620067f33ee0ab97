/** `user …`: creates users of the dashboard, helps those who cannot sign in, and keeps others out. */
import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { accountOption, csvOption, emailOption, jsonOption } from "./options.ts";
import { timeOrNull } from "../session/print.ts";
import { run, runList, type Format } from "../session/session.ts";

type User = { email: string; json?: boolean };

export function userCommand(): Command {
  const user = new Command("user").description("create, help and disable users of the dashboard");
  user
    .command("create")
    .description("create a user who owns an account; the password is shown only this once")
    .addOption(accountOption())
    .addOption(emailOption())
    .requiredOption("--name <name>", "display name")
    .addOption(jsonOption())
    .action(({ account: accountId, email, name, json }: User & { account: string; name: string }) =>
      run(json, async ({ client }) => {
        const password = randomBytes(15).toString("base64url");
        const request = { accountId, email, name, password };
        const response = await client("gateway", AccountService).createUser(request);
        if (!response.created) {
          throw new Error(
            `a user with the e-mail ${email} exists already: ops user reset-password gives a link that sets the password`,
          );
        }
        return { id: response.userId, email, password };
      }),
    );
  user
    .command("reset-password")
    .description("print a link that sets a new password, for the user alone; it works for an hour")
    .addOption(emailOption())
    .option("--remove-second-factor", "for a user who has lost the app and the recovery codes")
    .addOption(jsonOption())
    .action(
      ({ email, json, removeSecondFactor = false }: User & { removeSecondFactor?: boolean }) =>
        run(json, async ({ client }) => {
          const request = { email, removeSecondFactor };
          const { url } = await client("gateway", AccountService).resetUserPassword(request);
          return { url };
        }),
    );
  user
    .command("disable")
    .description("end the user's sessions and refuse new ones; keys of accounts go on working")
    .addOption(emailOption())
    .addOption(jsonOption())
    .action(({ email, json }: User) =>
      run(json, async ({ client }) => {
        const { sessions } = await client("gateway", AccountService).disableUser({ email });
        return { email, disabled: true, ended_sessions: sessions };
      }),
    );
  user
    .command("enable")
    .description("let a disabled user sign in again")
    .addOption(emailOption())
    .addOption(jsonOption())
    .action(({ email, json }: User) =>
      run(json, async ({ client }) => {
        await client("gateway", AccountService).enableUser({ email });
        return { email, disabled: false };
      }),
    );
  user
    .command("sessions")
    .description("list the user's sessions")
    .addOption(emailOption())
    .option("--end", "end them")
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async ({ email, end = false, ...format }: Format & User & { end?: boolean }) => {
      await runList(format, SESSION_COLUMNS, async ({ client }) => {
        const request = { email, end };
        const { sessions } = await client("gateway", AccountService).listUserSessions(request);
        return sessions.map(({ createdAt, expiresAt, userAgent }) => ({
          signed_in: timeOrNull(createdAt),
          ends: timeOrNull(expiresAt),
          browser: userAgent,
        }));
      });
    });
  return user;
}

const SESSION_COLUMNS = ["signed_in", "ends", "browser"] as const;
