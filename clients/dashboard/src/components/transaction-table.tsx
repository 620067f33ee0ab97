/** A table of balance transactions. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { signedTokens, tokens } from "./value-format.ts";
import { RelativeTime } from "./relative-time.tsx";

type Transaction = Schemas["Transaction"];

const COLORS: Record<Transaction["type"], string> = {
  recharge: "teal",
  reserve: "iris",
  capture: "gray",
  release: "teal",
  adjustment: "amber",
};

type Props = { transactions: readonly Transaction[]; label: string; isShort?: boolean };

export function TransactionTable({ transactions, label, isShort = false }: Props) {
  const { to, may } = useScope();
  if (transactions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No transactions.
      </Text>
    );
  }
  return (
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Type</Table.Th>
          {!isShort && <Table.Th visibleFrom="sm">For</Table.Th>}
          <Table.Th ta="right">Change</Table.Th>
          <Table.Th ta="right" visibleFrom="xs">
            Available after
          </Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {transactions.map((transaction) => (
          <Table.Tr key={transaction.id}>
            <Table.Td>
              <Badge color={COLORS[transaction.type]}>{transaction.type}</Badge>
            </Table.Td>
            {!isShort && (
              <Table.Td visibleFrom="sm">
                {transaction.generation_id && may("retrieveGeneration") ? (
                  <Anchor
                    component={Link}
                    to={to(`generations/${transaction.generation_id}`)}
                    className="mono"
                  >
                    {transaction.generation_id}
                  </Anchor>
                ) : (
                  <Text size="sm">{transaction.generation_id ?? transaction.note}</Text>
                )}
              </Table.Td>
            )}
            <Table.Td ta="right" className="number">
              {signedTokens(transaction.tokens)}
            </Table.Td>
            <Table.Td ta="right" className="number" visibleFrom="xs">
              {tokens(transaction.available_after)}
            </Table.Td>
            <Table.Td ta="right">
              <RelativeTime time={transaction.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
