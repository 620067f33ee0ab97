/** A table of balance transactions, one row for each. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { signedTokens, tokens } from "./value-format.ts";
import { RelativeTime } from "./relative-time.tsx";
import columns from "./columns.module.css";
import { TRANSACTION_WORDS } from "./transaction-words.ts";

type Transaction = Schemas["Transaction"];

const COLORS: Record<Transaction["type"], string> = {
  recharge: "teal",
  reserve: "iris",
  capture: "gray",
  release: "teal",
  adjustment: "amber",
};

/** Where an id does not fit its line, it goes on in the next. */
const ANYWHERE = { overflowWrap: "anywhere" } as const;

type Props = {
  transactions: readonly Transaction[];
  label: string;
  isShort?: boolean;
};

export function TransactionTable({ transactions, label, isShort = false }: Props) {
  if (transactions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No transactions.
      </Text>
    );
  }
  const reserved = new Map(
    transactions
      .filter(({ type }) => type === "reserve")
      .map(({ generation_id: id, tokens: change }) => [id, -change]),
  );
  return (
    <div className={columns.table}>
      <Table aria-label={label} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Type</Table.Th>
            {!isShort && (
              <Table.Th w="45%" className={columns.from620}>
                For
              </Table.Th>
            )}
            <Table.Th w={110} ta="right">
              Change
            </Table.Th>
            <Table.Th w={130} ta="right" className={columns.from400}>
              Available after
            </Table.Th>
            <Table.Th w={110} ta="right" className={columns.from400}>
              Time
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {transactions.map((transaction) => (
            <Row
              key={transaction.id}
              transaction={transaction}
              reserved={reserved.get(transaction.generation_id)}
              isShort={isShort}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type RowProps = {
  transaction: Transaction;
  /** What was reserved for its generation; undefined where the list does not say. */
  reserved: number | undefined;
  isShort: boolean;
};

/** What there is no column for is below the type and the change. */
function Row({ transaction, reserved, isShort }: RowProps) {
  const { type, tokens: change, available_after: available, created_at: at } = transaction;
  return (
    <Table.Tr>
      <Table.Td>
        <Badge color={COLORS[type]}>{TRANSACTION_WORDS[type]}</Badge>
        {!isShort && (
          <div className={columns.below620}>
            <Subject transaction={transaction} />
          </div>
        )}
        <Text size="xs" c="dimmed" className={columns.below400}>
          <RelativeTime time={at} />
        </Text>
      </Table.Td>
      {!isShort && (
        <Table.Td className={columns.from620}>
          <Subject transaction={transaction} />
        </Table.Td>
      )}
      <Table.Td ta="right" className="number">
        {signedTokens(change)}
        {type === "capture" && change === 0 && (
          <Text size="xs" c="dimmed">
            {reserved === undefined ? "as reserved" : `${tokens(reserved)} were reserved`}
          </Text>
        )}
        <Text size="xs" c="dimmed" className={columns.below400}>
          {tokens(available)} left
        </Text>
      </Table.Td>
      <Table.Td ta="right" className={`number ${columns.from400}`}>
        {tokens(available)}
      </Table.Td>
      <Table.Td ta="right" className={columns.from400}>
        <RelativeTime time={at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The generation that it belongs to, or what operations wrote beside it. */
function Subject({ transaction: { generation_id: id, note } }: { transaction: Transaction }) {
  const { to, may } = useScope();
  return id && may("retrieveGeneration") ? (
    <Anchor
      component={Link}
      to={to(`generations/${id}`)}
      className="mono"
      display="block"
      style={ANYWHERE}
    >
      {id}
    </Anchor>
  ) : (
    <Text size="sm" style={ANYWHERE}>
      {id ?? note}
    </Text>
  );
}
