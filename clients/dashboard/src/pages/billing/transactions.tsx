/** The transactions of the balance, by type, and the totals of a month. */
import { Select } from "@mantine/core";
import { Receipt } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { DataList, DataTable } from "../../components/data-table.tsx";
import { optionsOf } from "../../components/filter-fields.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { Amount } from "../../components/texts.tsx";
import { TRANSACTION_WORDS, TransactionTable } from "../../components/transaction-table.tsx";
import { useAnswer, useList } from "../../data/queries.ts";
import { signedTokens, tokens } from "../../data/value-format.ts";
import { useMonth } from "./use-month.tsx";

type Type = Schemas["TransactionType"];

const TYPES = optionsOf(TRANSACTION_WORDS);

/** Most generations have two. */
const PAGE_SIZE = 60;

export function Transactions() {
  const [type, setType] = useState<Type>();
  const transactions = useList("listAccountTransactions", {
    limit: PAGE_SIZE,
    ...(type && { type }),
  });
  return (
    <Section
      title="Transactions"
      note="A generation's Tokens leave the balance when they are reserved, and come back when they are restored."
      actions={
        <>
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            w={170}
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
    <Section title="Monthly totals" actions={field}>
      <QueryResult query={statement}>{(data) => <Totals statement={data} />}</QueryResult>
    </Section>
  );
}

function Totals({ statement: { opening, closing, lines } }: { statement: Schemas["Statement"] }) {
  const rows = [
    { name: "Opening balance", count: undefined, value: opening, text: tokens(opening) },
    ...lines
      // Charging takes what was reserved, so it changes the balance only where less was needed.
      .filter(({ type, tokens: change }) => type !== "capture" || change !== 0)
      .map(({ type, count, tokens: value }) => ({
        name: TRANSACTION_WORDS[type],
        count,
        value,
        text: signedTokens(value),
      })),
    { name: "Closing balance", count: undefined, value: closing, text: tokens(closing) },
  ];
  return (
    <DataTable
      label="Totals of the month"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { head: "Entry", cell: ({ name }) => name },
        { head: "Count", isRight: true, cell: ({ count }) => count !== undefined && tokens(count) },
        {
          head: "Tokens",
          isRight: true,
          cell: ({ text, value }) => <Amount amount={value} text={text} />,
        },
      ]}
    />
  );
}
