/** EnableUser: lets a disabled user sign in again. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { UserDeps } from "../deps.ts";
import { setDisabled } from "../store/users.ts";
import { changeUser } from "./user.ts";

export function enableUser(deps: UserDeps): ServiceImpl<typeof AccountService>["enableUser"] {
  const work = (sql: Db, userId: string) => setDisabled(sql, userId, null);
  return async ({ email }, context) => {
    await changeUser(deps, { email, action: "member.enable", work }, context);
    return {};
  };
}
