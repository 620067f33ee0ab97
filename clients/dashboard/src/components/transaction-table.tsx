/** A table of balance transactions, one row for each. */
import { Anchor, Badge, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { Below, DataTable } from "./data-table.tsx";
import { RelativeTime } from "./texts.tsx";
import { TRANSACTION_WORDS } from "./transaction-words.ts";
import { signedTokens, tokens } from "./value-format.ts";

type Transaction = Schemas["Transaction"];

const COLORS: Record<Transaction["type"], string> = {
  recharge: "teal",
  reserve: "iris",
  capture: "gray",
  release: "teal",
  adjustment: "amber",
};

type Props = {
  transactions: readonly Transaction[];
  label: string;
  isShort?: boolean;
};

/** What there is no column for is below the type and the change. */
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
    <DataTable
      label={label}
      rows={transactions}
      keyOf={({ id }) => id}
      columns={[
        {
          head: "Type",
          cell: (transaction) => (
            <>
              <Badge color={COLORS[transaction.type]}>{TRANSACTION_WORDS[transaction.type]}</Badge>
              {!isShort && (
                <Below width={620}>
                  <Subject transaction={transaction} />
                </Below>
              )}
              <Below width={400}>
                <Small>
                  <RelativeTime time={transaction.created_at} />
                </Small>
              </Below>
            </>
          ),
        },
        !isShort && {
          head: "For",
          width: "45%",
          from: 620,
          cell: (transaction) => <Subject transaction={transaction} />,
        },
        {
          head: "Change",
          width: 110,
          isRight: true,
          cell: (transaction) => (
            <>
              {signedTokens(transaction.tokens)}
              <AsReserved
                transaction={transaction}
                reserved={reserved.get(transaction.generation_id)}
              />
              <Below width={400}>
                <Small>{tokens(transaction.available_after)} left</Small>
              </Below>
            </>
          ),
        },
        {
          head: "Available after",
          width: 130,
          isRight: true,
          from: 400,
          cell: ({ available_after: available }) => tokens(available),
        },
        {
          head: "Time",
          width: 110,
          isRight: true,
          from: 400,
          cell: ({ created_at: at }) => <RelativeTime time={at} />,
        },
      ]}
    />
  );
}

function Small({ children }: { children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}

type ReservedProps = {
  transaction: Transaction;
  /** What was reserved for its generation; undefined where the list does not say. */
  reserved: number | undefined;
};

function AsReserved({ transaction: { type, tokens: change }, reserved }: ReservedProps) {
  if (type !== "capture" || change !== 0) return null;
  return (
    <Small>{reserved === undefined ? "as reserved" : `${tokens(reserved)} were reserved`}</Small>
  );
}

/** The generation that it belongs to, or what operations wrote beside it. */
function Subject({ transaction: { generation_id: id, note } }: { transaction: Transaction }) {
  const { to, may } = useScope();
  return id && may("retrieveGeneration") ? (
    <Anchor component={Link} to={to(`generations/${id}`)} className="mono" display="block">
      {id}
    </Anchor>
  ) : (
    <Text size="sm">{id ?? note}</Text>
  );
}
