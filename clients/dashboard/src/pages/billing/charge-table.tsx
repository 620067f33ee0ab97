/** One row for each charged generation, which opens to the entries of the balance. */
import { Anchor, Button, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Link } from "react-router";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { tokens } from "../../components/value-format.ts";
import { useMoney } from "../../data/money.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { keyLabel } from "./key-label.ts";

type Charge = Schemas["Charge"];

export function ChargeTable({ charges }: { charges: readonly Charge[] }) {
  const [open, setOpen] = useState<string>();
  return (
    <Table aria-label="Charged generations">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Generation</Table.Th>
          <Table.Th visibleFrom="sm">API key</Table.Th>
          <Table.Th ta="right">Tokens</Table.Th>
          <Table.Th ta="right" visibleFrom="xs">
            Charged
          </Table.Th>
          <Table.Th ta="right">Entries</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {charges.map((charge) => {
          const id = charge.generation_id;
          const isOpen = open === id;
          return (
            <Fragment key={id}>
              <Row
                charge={charge}
                isOpen={isOpen}
                onToggle={() => setOpen(isOpen ? undefined : id)}
              />
              {isOpen && (
                <Table.Tr>
                  <Table.Td colSpan={5}>
                    <Entries generationId={id} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

type RowProps = { charge: Charge; isOpen: boolean; onToggle: () => void };

function Row({ charge, isOpen, onToggle }: RowProps) {
  const { to, may } = useScope();
  const { generation_id: id, prompt, model } = charge;
  const title = prompt === "" ? id : prompt;
  const inMoney = useMoney()(charge.tokens);
  return (
    <Table.Tr>
      {/* An id must not push the numbers off a phone. */}
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Stack gap={0}>
          {may("retrieveGeneration") && prompt !== "" ? (
            <Anchor component={Link} to={to(`generations/${id}`)} size="sm" lineClamp={2}>
              {title}
            </Anchor>
          ) : (
            <Text size="sm" lineClamp={2}>
              {title}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {model}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="sm">{keyLabel(charge)}</Table.Td>
      <Table.Td ta="right" className="number">
        {tokens(charge.tokens)}
        {inMoney && (
          <Text size="xs" c="dimmed">
            {inMoney}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="xs">
        <RelativeTime time={charge.charged_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Hide" : "Show"} entries of ${title}`}
          onClick={onToggle}
        >
          {isOpen ? "Hide" : "Show"}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function Entries({ generationId }: { generationId: string }) {
  const { keyPrefix, params } = useScope();
  const entries = useQuery({
    queryKey: [...queryKeys.money(keyPrefix), "entries", generationId],
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/transactions", {
          params: { ...params, query: { ...params.query, generation_id: generationId } },
        }),
      ),
  });
  return (
    <QueryResult query={entries}>
      {({ data }) => (
        <TransactionTable transactions={data} label={`Entries of ${generationId}`} isShort />
      )}
    </QueryResult>
  );
}
