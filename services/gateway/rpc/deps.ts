/** What the RPCs of accounts depend on, and how they record changes. */
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { IssueDeps } from "../accounts/keys.ts";
import type { Mailer } from "../accounts/mail/mailer.ts";
import type { Messages } from "../accounts/mail/messages.ts";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { callerAddressKey } from "#runtime/rpc/context.ts";
import { type RecordChange, recorder } from "../accounts/recorder.ts";

export type AccountDeps = {
  sql: Sql;
  clock: Clock;
  newId: NewId;
  newApiKey: (mode: ModeName) => string;
  billing: IssueDeps["billing"];
};

/** And the RPCs that mail users. */
export type RequestDeps = AccountDeps & { mailer: Mailer; messages: Messages };

export type UserDeps = RequestDeps & {
  /** Makes a link with which whoever has it sets a new password of the user, once, within an hour. */
  createResetLink: (userId: string) => Promise<string>;
  hashPassword: (password: string) => Promise<string>;
};

/** The handlers of some RPCs. */
export type Rpcs<Name extends keyof ServiceImpl<typeof AccountService>> = Pick<
  ServiceImpl<typeof AccountService>,
  Name
>;

/** Adds entries of the operator who makes this call, through `sql`. */
export function operatorRecorder(
  deps: AccountDeps,
  sql: Db,
  accountId: string,
  { values }: HandlerContext,
): RecordChange {
  const address = values.get(callerAddressKey);
  return recorder(deps, sql, accountId, { actor: { type: "operator" }, address });
}
