/** Looks up the account that an operator's call names, because other services do not know which accounts there are. */
import { getOption } from "@bufbuild/protobuf";
import type { Client, Interceptor } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { audit_action } from "#gen/proto/media/runtime/v1/access_pb.ts";

/**
 * A call for an account that does not exist is not made: it would show an empty account, and make its balance or secret.
 * Calls with an `audit_action` are looked up where they are recorded.
 */
export function knownAccountInterceptor(
  accounts: () => Pick<Client<typeof AccountService>, "getAccount">,
): Interceptor {
  const known = new Set<string>();
  return (next) => async (request) => {
    if (request.stream || getOption(request.method, audit_action) !== "") return next(request);
    const { accountId } = request.message as { accountId?: string };
    if (accountId && !known.has(accountId)) {
      await accounts().getAccount({ accountId });
      known.add(accountId);
    }
    return next(request);
  };
}
