/** The members of the account. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";

export function useMembers() {
  const { account, params } = useScope();
  return useQuery({
    queryKey: queryKeys.members(account.id),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/members", { params: { path: params.path } })),
    select: ({ data }) => data,
  });
}
