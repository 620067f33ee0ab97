/** Maps the RPCs of AccountService to their handlers. */
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Routes } from "#runtime/rpc/server.ts";
import type { RequestDeps, UserDeps } from "./deps.ts";
import { answerAccountRequest } from "./rpc/answer-account-request.ts";
import { createAccount } from "./rpc/create-account.ts";
import { createKey } from "./rpc/create-key.ts";
import { createUser } from "./rpc/create-user.ts";
import { disableUser } from "./rpc/disable-user.ts";
import { enableUser } from "./rpc/enable-user.ts";
import { getAccount } from "./rpc/get-account.ts";
import { grantProduction } from "./rpc/grant-production.ts";
import { listAccountRequests } from "./rpc/list-account-requests.ts";
import { listAccounts } from "./rpc/list-accounts.ts";
import { listKeys } from "./rpc/list-keys.ts";
import { recordAction } from "./rpc/record-action.ts";
import { listUserSessions } from "./rpc/list-user-sessions.ts";
import { resetUserPassword } from "./rpc/reset-user-password.ts";
import { restoreAccount } from "./rpc/restore-account.ts";
import { revokeKey } from "./rpc/revoke-key.ts";
import { setLimits } from "./rpc/set-limits.ts";
import { suspendAccount } from "./rpc/suspend-account.ts";

export function routes(deps: UserDeps & RequestDeps): Routes {
  const implementation = {
    createAccount: createAccount(deps),
    grantProduction: grantProduction(deps),
    setLimits: setLimits(deps),
    listAccountRequests: listAccountRequests(deps),
    answerAccountRequest: answerAccountRequest(deps),
    createKey: createKey(deps),
    suspendAccount: suspendAccount(deps),
    restoreAccount: restoreAccount(deps),
    getAccount: getAccount(deps),
    listAccounts: listAccounts(deps),
    listKeys: listKeys(deps),
    revokeKey: revokeKey(deps),
    createUser: createUser(deps),
    recordAction: recordAction(deps),
    resetUserPassword: resetUserPassword(deps),
    disableUser: disableUser(deps),
    enableUser: enableUser(deps),
    listUserSessions: listUserSessions(deps),
  } satisfies ServiceImpl<typeof AccountService>;
  return (router) => router.service(AccountService, implementation);
}
