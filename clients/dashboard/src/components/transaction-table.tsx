/** A table of balance transactions, one row for each, in the words of the documentation. */
import { Text } from "@mantine/core";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { changeText, tokens } from "../data/value-format.ts";
import { DataTable } from "./data-table.tsx";
import { GenerationLink, Note, StatusBadge } from "./texts.tsx";

type Transaction = Schemas["Transaction"];

export const TRANSACTION_WORDS: Record<Transaction["type"], string> = {
  recharge: "added",
  reserve: "reserved",
  capture: "charged",
  release: "restored",
  adjustment: "corrected",
};

type Props = { transactions: readonly Transaction[]; label: string; isShort?: boolean };

export function TransactionTable({ transactions, label, isShort = false }: Props) {
  return (
    <DataTable
      label={label}
      rows={transactions}
      empty={<Text size="sm">No transactions.</Text>}
      columns={[
        {
          head: "Type",
          cell: ({ type, charged, tokens: rest }) => (
            <>
              <StatusBadge status={TRANSACTION_WORDS[type]} />
              {charged !== undefined && (
                <Note>
                  from the {tokens(charged + rest)} reserved
                  {rest > 0 && `, ${tokens(rest)} restored`}
                </Note>
              )}
            </>
          ),
        },
        !isShort && {
          head: "For",
          width: "34%",
          from: 800,
          below: true,
          cell: (transaction) => <Subject transaction={transaction} />,
        },
        { head: "Tokens", width: 130, isRight: true, cell: amountOf },
        {
          head: "Available after",
          width: 130,
          isRight: true,
          from: 500,
          cell: ({ available_after: available }) => tokens(available),
          below: ({ available_after: available }) => `${tokens(available)} left`,
        },
        { head: "Time", time: ({ created_at: at }) => at, from: 500, below: true },
      ]}
    />
  );
}

/** What changes the balance, so that the column adds up; a charge is of Tokens that had left it before. */
const amountOf = ({ charged, tokens: change }: Transaction) => (
  <>
    {changeText(change)}
    {charged !== undefined && <div>({tokens(charged)} charged)</div>}
  </>
);

/** The generation that it belongs to, or what operations wrote beside it. */
function Subject({ transaction: { generation_id: id, note } }: { transaction: Transaction }) {
  const { may } = useScope();
  return id && may("retrieveGeneration") ? (
    <GenerationLink id={id} />
  ) : (
    <Text size="sm">{id ?? note}</Text>
  );
}
