/** ResetUserPassword: makes a link that sets a new password, for an operator to hand over. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { UserDeps } from "../deps.ts";
import { deletePasskeys } from "../store/passkeys.ts";
import { deleteSecondFactor } from "../store/users.ts";
import { changeUser } from "./user.ts";

/** The entry comes before the link, because the sign-in library makes that outside the transaction. */
export function resetUserPassword(
  deps: UserDeps,
): ServiceImpl<typeof AccountService>["resetUserPassword"] {
  return async ({ email, removeSecondFactor }, context) => {
    const work = async (sql: Db, userId: string) => {
      if (!removeSecondFactor) return;
      await deleteSecondFactor(sql, userId);
      await deletePasskeys(sql, userId);
    };
    const details = removeSecondFactor ? { second_factor: "removed" } : {};
    const change = { email, action: "member.reset_password", details, work } as const;
    const { userId } = await changeUser(deps, change, context);
    return { url: await deps.createResetLink(userId) };
  };
}
