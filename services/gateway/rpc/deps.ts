/** What the RPCs depend on, how they record changes, and how rows become messages. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import type { IssueDeps } from "../accounts/keys.ts";
import type { Mailer } from "../accounts/mail/mailer.ts";
import type { Messages } from "../accounts/mail/messages.ts";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { callerAddressKey } from "#runtime/rpc/context.ts";
import { type RecordChange, recorder } from "../accounts/recorder.ts";

export type RpcDeps = IssueDeps & {
  sql: Sql;
  mailer: Mailer;
  messages: Messages;
  /** Makes a link with which whoever has it sets a new password of the user, once, within an hour. */
  createResetLink: (userId: string) => Promise<string>;
  hashPassword: (password: string) => Promise<string>;
};

/** The handlers of some RPCs. */
export type Rpcs = Partial<ServiceImpl<typeof AccountService>>;

/** Adds entries of the operator who makes this call, through `sql`. */
export function operatorRecorder(
  deps: RpcDeps,
  sql: Db,
  accountId: string,
  { values }: HandlerContext,
): RecordChange {
  const address = values.get(callerAddressKey);
  return recorder(deps, sql, accountId, { actor: { type: "operator" }, address });
}

type Fields<Row> = {
  [Name in keyof Row as null extends Row[Name] ? never : Name]: Field<Row[Name]>;
} & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: Field<NonNullable<Row[Name]>>;
};
type Field<Value> = Value extends Date ? Timestamp : Value;

/** A row as fields of the message that has its columns' names: without what is null. */
export function fieldsOf<Row extends object>(row: Row): Fields<Row> {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value instanceof Date ? timestampFromDate(value) : value]),
  ) as Fields<Row>;
}
