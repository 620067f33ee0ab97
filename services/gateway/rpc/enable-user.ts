/** EnableUser: lets a disabled user sign in again. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { UserDeps } from "../deps.ts";
import { setDisabled } from "../store/users.ts";
import { requireUserId } from "./user.ts";

export function enableUser({ sql }: UserDeps): ServiceImpl<typeof AccountService>["enableUser"] {
  return async ({ email }) => {
    await setDisabled(sql, await requireUserId(sql, email), null);
    return {};
  };
}
