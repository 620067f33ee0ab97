/** ResetUserPassword: makes a link that sets a new password, for an operator to hand over. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { UserDeps } from "../deps.ts";
import { deletePasskeys } from "../store/passkeys.ts";
import { deleteSecondFactor } from "../store/users.ts";
import { requireUserId } from "./user.ts";

export function resetUserPassword({
  sql,
  createResetLink,
}: UserDeps): ServiceImpl<typeof AccountService>["resetUserPassword"] {
  return async ({ email, removeSecondFactor }) => {
    const userId = await requireUserId(sql, email);
    const url = await createResetLink(userId);
    if (removeSecondFactor) {
      await sql.begin(async (transaction) => {
        await deleteSecondFactor(transaction, userId);
        await deletePasskeys(transaction, userId);
      });
    }
    return { url };
  };
}
