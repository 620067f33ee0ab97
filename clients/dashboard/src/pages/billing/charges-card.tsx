/** What a month's generations cost: by key, and each with its prompt; the balance's entries on demand. */
import { Button, Card, Center, Group, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Receipt } from "lucide-react";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../session/scope.ts";
import { ChargeTable } from "./charge-table.tsx";
import { KeyUsageTable } from "./key-usage-table.tsx";
import { MonthSelect } from "./month-select.tsx";
import { months } from "./months.ts";

export function ChargesCard() {
  const { account } = useScope();
  const choices = months(account.created_at, Date.now());
  const [month, setMonth] = useState(choices[0]?.value ?? "");
  const keys = useKeyUsage(month);
  const charges = useCharges(month);
  return (
    <Card component="section" aria-labelledby="charges">
      <Group justify="space-between" mb="md">
        <Title order={2} id="charges" fz={16}>
          Charged generations
        </Title>
        <MonthSelect
          of="charges"
          file="charges.csv"
          choices={choices}
          month={month}
          onChange={setMonth}
        />
      </Group>
      <QueryResult query={charges}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <Empty icon={Receipt} title="Nothing was charged" />;
          return (
            <>
              <QueryResult query={keys}>{({ data }) => <KeyUsageTable usage={data} />}</QueryResult>
              <ChargeTable charges={all} />
            </>
          );
        }}
      </QueryResult>
      {charges.hasNextPage && (
        <Center mt="md">
          <Button
            variant="default"
            loading={charges.isFetchingNextPage}
            onClick={() => void charges.fetchNextPage()}
          >
            Show more
          </Button>
        </Center>
      )}
    </Card>
  );
}

function useKeyUsage(month: string) {
  const { keyPrefix, mode, params } = useScope();
  return useQuery({
    queryKey: [...queryKeys.money(keyPrefix), "keys", month],
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/usage/keys", {
          params: { ...params, query: { mode, month } },
        }),
      ),
  });
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
