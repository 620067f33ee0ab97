/** A month's totals, and its transactions as a CSV file. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys, useMoney } from "../../data/queries.ts";
import { signedTokens, tokens } from "../../components/value-format.ts";
import { DataTable } from "../../components/data-table.tsx";
import { QueryResult } from "../../components/states.tsx";
import { useScope } from "../../data/scope.ts";
import { MonthCard } from "./month-card.tsx";

const NAMES: Record<Schemas["StatementLine"]["type"], string> = {
  recharge: "Added",
  reserve: "Reserved",
  capture: "Charged",
  release: "Restored",
  adjustment: "Corrected by operations",
};

export function StatementCard() {
  return (
    <MonthCard title="Monthly totals" name="totals" file="transactions.csv">
      {(month) => <Statement month={month} />}
    </MonthCard>
  );
}

function Statement({ month }: { month: string }) {
  const { mode, keyPrefix, params } = useScope();
  const statement = useQuery({
    queryKey: [...queryKeys.money(keyPrefix), "statement", month],
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/statement", {
          params: { ...params, query: { mode, month } },
        }),
      ),
  });
  return <QueryResult query={statement}>{(data) => <Totals statement={data} />}</QueryResult>;
}

type Line = { name: string; count?: number; value: number; text: string };

function Totals({ statement: { opening, closing, lines } }: { statement: Schemas["Statement"] }) {
  const inMoney = useMoney();
  const rows: Line[] = [
    { name: "Opening balance", value: opening, text: tokens(opening) },
    ...lines.map(({ type, count, tokens: value }) => ({
      name: NAMES[type],
      count,
      value,
      text: signedTokens(value),
    })),
    { name: "Closing balance", value: closing, text: tokens(closing) },
  ];
  return (
    <DataTable
      label="Totals of the month"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { head: "Entry", cell: ({ name }) => name },
        {
          head: "Count",
          isRight: true,
          cell: ({ count }) => count !== undefined && tokens(count),
        },
        {
          head: "Tokens",
          isRight: true,
          cell: ({ text, value }) => (
            <>
              {text}
              <Text size="xs" c="dimmed">
                {inMoney(Math.abs(value))}
              </Text>
            </>
          ),
        },
      ]}
    />
  );
}
