/** `user …`: creates users of the dashboard, helps those who cannot sign in, and keeps others out. */
import { randomBytes } from "node:crypto";
import type { UserSession } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, csvOption, emailOption } from "./options.ts";
import { timeOrNull, type Fields } from "../session/print.ts";

type User = { email: string };

const SESSION: Fields<UserSession> = {
  signed_in: ({ createdAt }) => timeOrNull(createdAt),
  ends: ({ expiresAt }) => timeOrNull(expiresAt),
  browser: ({ userAgent }) => userAgent,
};

export function userCommand(): OpsCommand {
  const user = new OpsCommand("user").description(
    "create, help and disable users of the dashboard",
  );
  user
    .command("create")
    .description("create a user who owns an account; the password is shown only this once")
    .addOption(accountOption())
    .addOption(emailOption())
    .requiredOption("--name <name>", "display name")
    .printsRow(async ({ accounts }, options: User & { account: string; name: string }) => {
      const { account: accountId, email, name } = options;
      const password = randomBytes(15).toString("base64url");
      const { created, userId } = await accounts.createUser({ accountId, email, name, password });
      if (!created) {
        throw new Error(
          `a user with the e-mail ${email} exists already: ops user reset-password gives a link that sets the password`,
        );
      }
      return { id: userId, email, password };
    });
  user
    .command("reset-password")
    .description("print a link that sets a new password, for the user alone; it works for an hour")
    .addOption(emailOption())
    .option("--remove-second-factor", "for a user who has lost the app and the recovery codes")
    .printsRow(async ({ accounts }, options: User & { removeSecondFactor?: boolean }) => {
      const { email, removeSecondFactor = false } = options;
      const { url } = await accounts.resetUserPassword({ email, removeSecondFactor });
      return { url };
    });
  user
    .command("disable")
    .description("end the user's sessions and refuse new ones; keys of accounts go on working")
    .addOption(emailOption())
    .printsRow(async ({ accounts }, { email }: User) => {
      const { sessions } = await accounts.disableUser({ email });
      return { email, disabled: true, ended_sessions: sessions };
    });
  user
    .command("enable")
    .description("let a disabled user sign in again")
    .addOption(emailOption())
    .printsRow(async ({ accounts }, { email }: User) => {
      await accounts.enableUser({ email });
      return { email, disabled: false };
    });
  user
    .command("sessions")
    .description("list the user's sessions")
    .addOption(emailOption())
    .option("--end", "end them")
    .addOption(csvOption())
    .printsRows(SESSION, async ({ accounts }, options: User & { end?: boolean }) => {
      const { email, end = false } = options;
      return (await accounts.listUserSessions({ email, end })).sessions;
    });
  return user;
}
