/** DisableUser: ends a user's sessions and refuses new ones. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { UserDeps } from "../deps.ts";
import { endSessions } from "../store/sessions.ts";
import { setDisabled } from "../store/users.ts";
import { changeUser } from "./user.ts";

export function disableUser(deps: UserDeps): ServiceImpl<typeof AccountService>["disableUser"] {
  const work = async (sql: Db, userId: string) => {
    await setDisabled(sql, userId, deps.clock.now());
    return endSessions(sql, userId, "user_disabled");
  };
  return async ({ email }, context) => {
    const change = { email, action: "member.disable", work } as const;
    const { userId, result } = await changeUser(deps, change, context);
    deps.openStreams.recheck(userId);
    return { sessions: result };
  };
}
