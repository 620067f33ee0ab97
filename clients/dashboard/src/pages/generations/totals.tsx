/** How many generations match the filters, what they cost, and all of them as CSV. */
import { Group, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { dateTime, tokens } from "../../components/value-format.ts";
import { queryKeys } from "../../data/query-keys.ts";
import type { GenerationFilter } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";

/** Each event of a busy account would count up to 10,000 rows again. */
const COUNT_AGAIN_MS = 10_000;

export function Totals({ filter }: { filter: GenerationFilter }) {
  const totals = useTotals(filter);
  return (
    <Group justify="space-between" mb="sm" wrap="nowrap">
      <Text size="sm" c="dimmed" className="number" role="status" aria-label="Totals" mih={20}>
        {totals.data && <Summary totals={totals.data} />}
      </Text>
      <CsvButton name="these generations" file="generations.csv" filter={filter} />
    </Group>
  );
}

function Summary({ totals }: { totals: Schemas["GenerationTotals"] }) {
  const { count, tokens: cost, counted_back_to: backTo } = totals;
  return (
    <>
      {backTo && "At least "}
      {tokens(count)} {count === 1 ? "generation" : "generations"}, {tokens(cost)} Tokens charged
      {backTo && ` (counted back to ${dateTime(backTo)})`}
    </>
  );
}

function useTotals(filter: GenerationFilter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...filter };
  return useQuery({
    queryKey: [...queryKeys.totals(keyPrefix), filter],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/generation-totals", { params: { ...params, query } })),
    refetchInterval: COUNT_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}
