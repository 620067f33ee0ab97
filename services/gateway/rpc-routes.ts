/** Maps the RPCs of AccountService to their handlers. */
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { RequestDeps, UserDeps } from "./rpc/deps.ts";
import { answerAccountRequest, listAccountRequests } from "./rpc/account-requests.ts";
import {
  createAccount,
  getAccount,
  grantProduction,
  listAccounts,
  restoreAccount,
  setLimits,
  suspendAccount,
  recordAction,
} from "./rpc/accounts.ts";
import { createKey, listKeys, revokeKey } from "./rpc/keys.ts";
import {
  createUser,
  disableUser,
  enableUser,
  listUsers,
  listUserSessions,
  resetUserPassword,
} from "./rpc/users.ts";

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
    listUsers: listUsers(deps),
    listUserSessions: listUserSessions(deps),
  } satisfies ServiceImpl<typeof AccountService>;
  return (router) => router.service(AccountService, implementation);
}
