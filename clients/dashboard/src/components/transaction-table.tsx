/** A table of balance transactions. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { signedTokens, tokens } from "./value-format.ts";
import { RelativeTime } from "./relative-time.tsx";
import columns from "./columns.module.css";
import { foldCaptures, TRANSACTION_WORDS } from "./transaction-words.ts";

type Transaction = Schemas["Transaction"];

const COLORS: Record<string, string> = {
  added: "teal",
  reserved: "iris",
  charged: "gray",
  restored: "teal",
  corrected: "amber",
};

type Props = {
  transactions: readonly Transaction[];
  label: string;
  isShort?: boolean;
  /** Shows every entry of the balance, also those that change nothing. */
  isEach?: boolean;
};

export function TransactionTable({ transactions, label, isShort = false, isEach = false }: Props) {
  const { to, may } = useScope();
  if (transactions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No transactions.
      </Text>
    );
  }
  const rows = isEach
    ? transactions.map((transaction) => ({
        transaction,
        word: TRANSACTION_WORDS[transaction.type],
      }))
    : foldCaptures(transactions);
  return (
    <div className={columns.table}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Type</Table.Th>
            {!isShort && <Table.Th className={columns.from620}>For</Table.Th>}
            <Table.Th ta="right">Change</Table.Th>
            <Table.Th ta="right" className={columns.from400}>
              Available after
            </Table.Th>
            <Table.Th ta="right">Time</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ transaction, word }) => (
            <Table.Tr key={transaction.id}>
              <Table.Td>
                <Badge color={COLORS[word] ?? "gray"}>{word}</Badge>
              </Table.Td>
              {!isShort && (
                <Table.Td className={columns.from620}>
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
                {transaction.type === "capture" && transaction.tokens === 0
                  ? "as reserved"
                  : signedTokens(transaction.tokens)}
              </Table.Td>
              <Table.Td ta="right" className={`number ${columns.from400}`}>
                {tokens(transaction.available_after)}
              </Table.Td>
              <Table.Td ta="right">
                <RelativeTime time={transaction.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
