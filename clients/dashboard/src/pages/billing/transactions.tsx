/** Every transaction of the balance, newest first. */
import { Card, Group, Select, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Receipt } from "lucide-react";
import { useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ListTotals } from "../../components/list-totals.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { TRANSACTION_WORDS } from "../../components/transaction-words.ts";
import { useScope } from "../../data/scope.ts";

const TYPES = Object.entries(TRANSACTION_WORDS).map(([value, label]) => ({
  value: value as Schemas["TransactionType"],
  label,
}));

const API_TYPES = TYPES.map(({ value, label }) => `${value} (${label})`).join(", ");

/** Most generations have two. */
const PAGE_SIZE = 60;

export function Transactions() {
  const [type, setType] = useState<Schemas["TransactionType"]>();
  const transactions = useTransactions({ type });
  return (
    <Card component="section" aria-labelledby="transactions">
      <Group justify="space-between" mb="md">
        <Title order={2} id="transactions" fz={16}>
          Transactions
        </Title>
        <Select
          aria-label="Type"
          placeholder="Any type"
          clearable
          w={170}
          data={TYPES}
          value={type ?? null}
          onChange={(chosen) => setType(chosen ?? undefined)}
        />
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        A change is one of the available Tokens: a generation&apos;s leave them when they are
        reserved, and come back when they are restored. The CSV names the types as the API does:{" "}
        {API_TYPES}.
      </Text>
      <Totals type={type} />
      <QueryResult query={transactions}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <Empty icon={Receipt} title="No transactions" />;
          return <TransactionTable transactions={all} label="Transactions" />;
        }}
      </QueryResult>
      <ShowMore list={transactions} />
    </Card>
  );
}

type Filter = { type: Schemas["TransactionType"] | undefined };

function Totals({ type }: Filter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...(type && { type }) };
  return (
    <ListTotals
      nouns={["transaction", "transactions"]}
      queryKey={[...queryKeys.totals(keyPrefix), "transactions", type]}
      read={() =>
        unwrap(
          api.GET("/accounts/{account_id}/transaction-totals", { params: { ...params, query } }),
        )
      }
    >
      <CsvButton name="all transactions" file="transactions.csv" filter={{ type }} />
    </ListTotals>
  );
}

function useTransactions({ type }: Filter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...(type && { type }), limit: PAGE_SIZE };
  return useInfiniteQuery({
    queryKey: [...queryKeys.money(keyPrefix), "transactions", type],
    queryFn: ({ pageParam: after }) =>
      unwrap(
        api.GET("/accounts/{account_id}/transactions", {
          params: { ...params, query: after ? { ...query, after } : query },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ has_more: hasMore, data }) => (hasMore ? data.at(-1)?.id : undefined),
  });
}
