/** Every transaction of the balance, newest first. */
import { Card, Group, Select, Text, Title } from "@mantine/core";
import { Receipt } from "lucide-react";
import { useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { useList } from "../../data/list.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { DataList } from "../../components/data-list.tsx";
import { Empty } from "../../components/empty.tsx";
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
  const transactions = useTransactions(type);
  return (
    <Card component="section" aria-labelledby="transactions">
      <Group justify="space-between" mb="md">
        <Title order={2} id="transactions" fz={16}>
          Transactions
        </Title>
        <Group gap="sm">
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            w={170}
            data={TYPES}
            value={type ?? null}
            onChange={(chosen) => setType(chosen ?? undefined)}
          />
          <CsvButton name="all transactions" file="transactions.csv" filter={{ type }} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        A change is one of the available Tokens: a generation&apos;s leave them when they are
        reserved, and come back when they are restored. The CSV names the types as the API does:{" "}
        {API_TYPES}.
      </Text>
      <DataList
        list={transactions}
        empty={<Empty icon={Receipt} title="No transactions" />}
        onClear={type && (() => setType(undefined))}
      >
        {(shown) => <TransactionTable transactions={shown} label="Transactions" />}
      </DataList>
    </Card>
  );
}

function useTransactions(type: Schemas["TransactionType"] | undefined) {
  const { keyPrefix, params } = useScope();
  return useList({
    queryKey: [...queryKeys.money(keyPrefix), "transactions", type],
    read: (page) => {
      const query = { ...params.query, ...(type && { type }), limit: PAGE_SIZE, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/transactions", { params: { ...params, query } }),
      );
    },
    idOf: ({ id }) => id,
  });
}
