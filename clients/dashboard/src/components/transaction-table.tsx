/** Changes of a balance as rows. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { usePlace } from "../session/scope.ts";
import { signed, tokens } from "./numbers.ts";
import { When } from "./time-format.tsx";

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
  const { to } = usePlace();
  if (transactions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No Tokens have moved.
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
        {transactions.map((one) => (
          <Table.Tr key={one.id}>
            <Table.Td>
              <Badge color={COLORS[one.type]}>{one.type}</Badge>
            </Table.Td>
            {!isShort && (
              <Table.Td visibleFrom="sm">
                {one.generation_id ? (
                  <Anchor
                    component={Link}
                    to={to(`generations/${one.generation_id}`)}
                    className="mono"
                  >
                    {one.generation_id}
                  </Anchor>
                ) : (
                  <Text size="sm">{one.note}</Text>
                )}
              </Table.Td>
            )}
            <Table.Td ta="right" className="number">
              {signed(one.tokens)}
            </Table.Td>
            <Table.Td ta="right" className="number" visibleFrom="xs">
              {tokens(one.available_after)}
            </Table.Td>
            <Table.Td ta="right">
              <When time={one.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
