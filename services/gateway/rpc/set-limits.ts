/** SetLimits: sets an account's rate limits and its limit of unfinished generations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { setAccountLimits } from "../store/accounts.ts";
import { toAccount } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function setLimits(deps: AccountDeps): ServiceImpl<typeof AccountService>["setLimits"] {
  return ({ accountId, createsPerMinute, readsPerMinute, maxUnfinished }, context) =>
    deps.sql.begin(async (sql) => {
      const limits = { createsPerMinute, readsPerMinute, maxUnfinished };
      const account = toAccount(await setAccountLimits(sql, accountId, limits), accountId);
      await operatorRecorder(
        deps,
        sql,
        accountId,
        context,
      )({
        action: "account.set_limits",
        details: {
          creates_per_minute: createsPerMinute,
          reads_per_minute: readsPerMinute,
          max_unfinished: maxUnfinished,
        },
      });
      return { account };
    });
}
