/** ListUserSessions: returns a user's sessions, and ends them if asked to. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { UserDeps } from "../deps.ts";
import { endSessions, listSessions } from "../store/sessions.ts";
import { changeUser, requireUserId } from "./user.ts";

const MAX_SESSIONS = 1_000;

export function listUserSessions(
  deps: UserDeps,
): ServiceImpl<typeof AccountService>["listUserSessions"] {
  return async ({ email, end }, context) => {
    const { sql, clock } = deps;
    const userId = await requireUserId(sql, email);
    const rows = await listSessions(sql, userId, clock.now(), MAX_SESSIONS);
    if (end) {
      const work = (tx: Db) => endSessions(tx, userId, "ended_by_operator");
      const change = { email, action: "member.end_sessions", work } as const;
      await changeUser(deps, change, context);
      deps.openStreams.recheck(userId);
    }
    const sessions = rows.map(({ createdAt, expiresAt, userAgent }) => ({
      createdAt: timestampFromDate(createdAt),
      expiresAt: timestampFromDate(expiresAt),
      userAgent: userAgent ?? "",
    }));
    return { sessions };
  };
}
