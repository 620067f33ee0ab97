/** The transactions of the balance, by type, and the totals of a month. */
import { Select } from "@mantine/core";
import { Receipt } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { DataList, DataTable } from "../../components/data-table.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { Amount } from "../../components/texts.tsx";
import { TRANSACTION_WORDS, TransactionTable } from "../../components/transaction-table.tsx";
import { useAnswer, useList } from "../../data/queries.ts";
import { changeText, tokens } from "../../data/value-format.ts";
import { useMonth } from "./use-month.tsx";

type Type = Schemas["TransactionType"];

/** As in the list, and as in the API and the CSV. */
const TYPES = Object.entries(TRANSACTION_WORDS).map(([value, word]) => ({
  value,
  label: `${word} (${value})`,
}));

/** In this order. The others move Tokens between available and reserved. */
const SETTLING = (Object.keys(TRANSACTION_WORDS) as Type[]).filter(
  (type) => type !== "reserve" && type !== "release",
);

export function Transactions() {
  const [type, setType] = useState<Type>();
  const transactions = useList("listAccountTransactions", type ? { type } : {});
  return (
    <Section
      title="Transactions"
      note="A generation's Tokens leave the balance when they are reserved, and come back when they are restored. The CSV has the types of the API: recharge (added), reserve (reserved), capture (charged), release (restored), adjustment (corrected)."
      actions={
        <>
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            w={220}
            data={TYPES}
            value={type ?? null}
            onChange={(chosen) => setType((chosen as Type | null) ?? undefined)}
          />
          <CsvButton name="all transactions" operation="downloadTransactions" filter={{ type }} />
        </>
      }
    >
      <DataList
        list={transactions}
        empty={<Empty icon={Receipt} title="No transactions" />}
        onClear={type && (() => setType(undefined))}
      >
        {(shown) => <TransactionTable transactions={shown} label="Transactions" />}
      </DataList>
    </Section>
  );
}

export function StatementCard() {
  const [month, field] = useMonth("totals");
  const statement = useAnswer("retrieveStatement", { month });
  return (
    <Section title="Monthly totals" note="Available and reserved Tokens together." actions={field}>
      <QueryResult query={statement}>
        {({ opening, closing, lines }) => (
          <DataTable
            label="Totals of the month"
            rows={[
              { name: "Opening balance", count: "", text: tokens(opening), amount: opening },
              ...SETTLING.flatMap((type) => lines.filter((line) => line.type === type)).map(
                ({ type, count, tokens: amount }) => ({
                  name: TRANSACTION_WORDS[type],
                  count: tokens(count),
                  text: changeText(amount),
                  amount,
                }),
              ),
              { name: "Closing balance", count: "", text: tokens(closing), amount: closing },
            ]}
            keyOf={({ name }) => name}
            columns={[
              { head: "Entry", cell: ({ name }) => name },
              { head: "Count", isRight: true, cell: ({ count }) => count },
              { head: "Net Tokens", isRight: true, cell: (row) => <Amount {...row} /> },
            ]}
          />
        )}
      </QueryResult>
    </Section>
  );
}
