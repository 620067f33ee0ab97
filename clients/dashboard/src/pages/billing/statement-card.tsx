/** A month's totals, and its transactions as a CSV file. */
import { Card, Group, Table, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { signedTokens, tokens } from "../../components/value-format.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../session/scope.ts";
import { MonthSelect } from "./month-select.tsx";
import { months } from "./months.ts";

const NAMES: Record<Schemas["StatementLine"]["type"], string> = {
  recharge: "Recharges",
  reserve: "Reservations",
  capture: "Charged generations",
  release: "Restored reservations",
  adjustment: "Corrections by operations",
};

export function StatementCard() {
  const { account, mode, keyPrefix, params } = useScope();
  const choices = months(account.created_at, Date.now());
  const [month, setMonth] = useState(choices[0]?.value ?? "");
  const statement = useQuery({
    queryKey: [...queryKeys.money(keyPrefix), "statement", month],
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/statement", {
          params: { ...params, query: { mode, month } },
        }),
      ),
  });
  return (
    <Card component="section" aria-labelledby="statement">
      <Group justify="space-between" mb="md">
        <Title order={2} id="statement" fz={16}>
          Monthly totals
        </Title>
        <MonthSelect
          of="totals"
          file="transactions.csv"
          choices={choices}
          month={month}
          onChange={setMonth}
        />
      </Group>
      <QueryResult query={statement}>{(data) => <Totals statement={data} />}</QueryResult>
    </Card>
  );
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
          <Table.Td ta="right">{tokens(opening)}</Table.Td>
        </Table.Tr>
        {lines.map(({ type, count, tokens: change }) => (
          <Table.Tr key={type}>
            <Table.Td>{NAMES[type]}</Table.Td>
            <Table.Td ta="right">{tokens(count)}</Table.Td>
            <Table.Td ta="right">{signedTokens(change)}</Table.Td>
          </Table.Tr>
        ))}
        <Table.Tr fw={650}>
          <Table.Td>Closing balance</Table.Td>
          <Table.Td />
          <Table.Td ta="right">{tokens(closing)}</Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  );
}
