/** DisableUser: ends a user's sessions and refuses new ones. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { UserDeps } from "../deps.ts";
import { deleteSessions } from "../store/sessions.ts";
import { setDisabled } from "../store/users.ts";
import { requireUserId } from "./user.ts";

export function disableUser({
  sql,
  clock,
}: UserDeps): ServiceImpl<typeof AccountService>["disableUser"] {
  return async ({ email }) => {
    const userId = await requireUserId(sql, email);
    await setDisabled(sql, userId, clock.now());
    return { sessions: await deleteSessions(sql, userId) };
  };
}
