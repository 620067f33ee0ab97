/** The line above a list that says how many entries match its filter, and has its CSV. */
import { Group, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schemas } from "../api/client.ts";
import { dateTime, tokens } from "./value-format.ts";

type Totals = Schemas["ListTotals"];

/** Each event of a busy account would count up to 10,000 rows again. */
const COUNT_AGAIN_MS = 10_000;

type Props = {
  /** What one entry and several are called. */
  nouns: readonly [one: string, several: string];
  queryKey: readonly unknown[];
  read: () => Promise<Totals>;
  /** The button of the CSV. */
  children: ReactNode;
};

export function ListTotals({ nouns, queryKey, read, children }: Props) {
  const totals = useQuery({
    queryKey,
    queryFn: read,
    refetchInterval: COUNT_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Group justify="space-between" mb="sm" wrap="nowrap">
      <Text size="sm" c="dimmed" className="number" role="status" aria-label="Totals" mih={20}>
        {totals.data && <Summary totals={totals.data} nouns={nouns} />}
      </Text>
      {children}
    </Group>
  );
}

function Summary({ totals, nouns: [one, several] }: Pick<Props, "nouns"> & { totals: Totals }) {
  const { count, tokens: cost, counted_back_to: backTo } = totals;
  return (
    <>
      {backTo && "At least "}
      {tokens(count)} {count === 1 ? one : several}
      {cost !== undefined && `, ${tokens(cost)} Tokens charged`}
      {backTo && ` (counted back to ${dateTime(backTo)})`}
    </>
  );
}
