/** What a month's generations cost, each with its prompt; the balance's entries on demand. */
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Receipt } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { DataList, Empty, QueryResult } from "../../components/states.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { RelativeTime } from "../../components/texts.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { tokens } from "../../components/value-format.ts";
import { queryKeys, useList, useMoney } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { keyLabel } from "./key-label.ts";
import { MonthCard } from "./month-card.tsx";

type Charge = Schemas["Charge"];

export function ChargesCard() {
  return (
    <MonthCard title="Charged generations" name="charges" file="charges.csv">
      {(month) => <Charges month={month} />}
    </MonthCard>
  );
}

function Charges({ month }: { month: string }) {
  const { keyPrefix, params } = useScope();
  const charges = useList({
    queryKey: [...queryKeys.money(keyPrefix), "charges", month],
    read: (page) => {
      const query = { ...params.query, month, ...page };
      return unwrap(api.GET("/accounts/{account_id}/charges", { params: { ...params, query } }));
    },
    idOf: ({ generation_id: id }) => id,
  });
  return (
    <DataList list={charges} empty={<Empty icon={Receipt} title="Nothing was charged" />}>
      {(shown) => <ChargeTable charges={shown} />}
    </DataList>
  );
}

const titleOf = ({ prompt, generation_id: id }: Charge) => (prompt === "" ? id : prompt);

/** One row for each charged generation, which opens to the entries of the balance. */
function ChargeTable({ charges }: { charges: readonly Charge[] }) {
  const [open, setOpen] = useState<string>();
  const inMoney = useMoney();
  return (
    <DataTable
      label="Charged generations"
      rows={charges}
      keyOf={({ generation_id: id }) => id}
      below={({ generation_id: id }) => open === id && <Entries generationId={id} />}
      columns={[
        { head: "Generation", cell: (charge) => <Title charge={charge} /> },
        { head: "API key", from: 620, cell: keyLabel },
        {
          head: "Tokens",
          isRight: true,
          cell: (charge) => (
            <>
              {tokens(charge.tokens)}
              <Text size="xs" c="dimmed">
                {inMoney(charge.tokens)}
              </Text>
            </>
          ),
        },
        {
          head: "Charged",
          isRight: true,
          from: 400,
          cell: ({ charged_at: at }) => <RelativeTime time={at} />,
        },
        {
          head: "Entries",
          isRight: true,
          cell: (charge) => {
            const id = charge.generation_id;
            const [action, next] = open === id ? ["Hide", undefined] : ["Show", id];
            return (
              <Button
                variant="subtle"
                size="compact-sm"
                aria-expanded={open === id}
                aria-label={`${action} entries of ${titleOf(charge)}`}
                onClick={() => setOpen(next)}
              >
                {action}
              </Button>
            );
          },
        },
      ]}
    />
  );
}

function Title({ charge }: { charge: Charge }) {
  const { to, may } = useScope();
  const { generation_id: id, prompt, model } = charge;
  return (
    <Stack gap={0}>
      {may("retrieveGeneration") && prompt !== "" ? (
        <Anchor component={Link} to={to(`generations/${id}`)} size="sm" lineClamp={2}>
          {prompt}
        </Anchor>
      ) : (
        <Text size="sm" lineClamp={2}>
          {titleOf(charge)}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {model}
      </Text>
    </Stack>
  );
}

function Entries({ generationId }: { generationId: string }) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, generation_id: generationId };
  const entries = useQuery({
    queryKey: [...queryKeys.money(keyPrefix), "entries", generationId],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/transactions", { params: { ...params, query } })),
  });
  return (
    <QueryResult query={entries}>
      {({ data }) => (
        <TransactionTable transactions={data} label={`Entries of ${generationId}`} isShort />
      )}
    </QueryResult>
  );
}
