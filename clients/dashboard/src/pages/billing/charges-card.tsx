/** What a month's generations cost, each with its prompt; the balance's entries on demand. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Receipt } from "lucide-react";
import { api, unwrap } from "../../api/client.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { ChargeTable } from "./charge-table.tsx";
import { MonthCard } from "./month-card.tsx";

export function ChargesCard() {
  return (
    <MonthCard title="Charged generations" name="charges" file="charges.csv">
      {(month) => <Charges month={month} />}
    </MonthCard>
  );
}

function Charges({ month }: { month: string }) {
  const charges = useCharges(month);
  return (
    <>
      <QueryResult query={charges}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <Empty icon={Receipt} title="Nothing was charged" />;
          return <ChargeTable charges={all} />;
        }}
      </QueryResult>
      <ShowMore list={charges} />
    </>
  );
}

function useCharges(month: string) {
  const { keyPrefix, mode, params } = useScope();
  return useInfiniteQuery({
    queryKey: [...queryKeys.money(keyPrefix), "charges", month],
    queryFn: ({ pageParam: after }) =>
      unwrap(
        api.GET("/accounts/{account_id}/charges", {
          params: { ...params, query: { mode, month, ...(after && { after }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ has_more: hasMore, data }) =>
      hasMore ? data.at(-1)?.generation_id : undefined,
  });
}
