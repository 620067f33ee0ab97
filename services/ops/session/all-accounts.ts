/** Reads all accounts, page by page. */
import type { Client } from "@connectrpc/connect";
import type { Account, AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";

const PAGE = 1_000;

export async function allAccounts(
  accounts: Pick<Client<typeof AccountService>, "listAccounts">,
): Promise<Account[]> {
  const found: Account[] = [];
  let hasMore = true;
  while (hasMore) {
    const page = await accounts.listAccounts({ limit: PAGE, after: found.at(-1)?.id });
    found.push(...page.accounts);
    hasMore = page.hasMore;
  }
  return found;
}
