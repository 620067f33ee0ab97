/** A month's totals, and its transactions as a CSV file. */
import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useMoney } from "../../data/money.ts";
import { signedTokens, tokens } from "../../components/value-format.ts";
import { QueryResult } from "../../components/query-result.tsx";
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

function Totals({ statement: { opening, closing, lines } }: { statement: Schemas["Statement"] }) {
  return (
    <Table aria-label="Totals of the month">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Entry</Table.Th>
          <Table.Th ta="right">Count</Table.Th>
          <Table.Th ta="right">Tokens</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className="number">
        <Table.Tr>
          <Table.Td>Opening balance</Table.Td>
          <Table.Td />
          <Amount text={tokens(opening)} value={opening} />
        </Table.Tr>
        {lines.map(({ type, count, tokens: change }) => (
          <Table.Tr key={type}>
            <Table.Td>{NAMES[type]}</Table.Td>
            <Table.Td ta="right">{tokens(count)}</Table.Td>
            <Amount text={signedTokens(change)} value={change} />
          </Table.Tr>
        ))}
        <Table.Tr fw={650}>
          <Table.Td>Closing balance</Table.Td>
          <Table.Td />
          <Amount text={tokens(closing)} value={closing} />
        </Table.Tr>
      </Table.Tbody>
    </Table>
  );
}

/** Tokens, and their size in money. */
function Amount({ text, value }: { text: string; value: number }) {
  const inMoney = useMoney()(Math.abs(value));
  return (
    <Table.Td ta="right">
      {text}
      {inMoney && (
        <Text size="xs" c="dimmed">
          {inMoney}
        </Text>
      )}
    </Table.Td>
  );
}
