/** The button that selects all that the filters match, not only what is shown. */
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap, type Generation } from "../../api/client.ts";
import { Failure } from "../../components/failure.tsx";
import { tokens } from "../../components/value-format.ts";
import type { GenerationFilter } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useTotals } from "./use-totals.ts";

const MAX_SELECTED = 1_000;
const PAGE_SIZE = 100;
/** A page of a search may be empty: it ends where it has read enough. */
const MAX_PAGES = 50;

type Props = {
  filter: GenerationFilter;
  onSelect: (generations: readonly Generation[]) => void;
};

export function SelectAll({ filter, onSelect }: Props) {
  const { params } = useScope();
  const totals = useQuery({ ...useTotals(filter), staleTime: Number.POSITIVE_INFINITY }).data;
  const read = useMutation({
    mutationFn: async () => {
      const found: Generation[] = [];
      let after: string | undefined;
      for (let page = 0; page < MAX_PAGES && found.length < MAX_SELECTED; page += 1) {
        const query = { ...params.query, ...filter, limit: PAGE_SIZE, ...(after && { after }) };
        const answer = await unwrap(
          api.GET("/accounts/{account_id}/generations", { params: { ...params, query } }),
        );
        found.push(...answer.data);
        after = answer.next_after;
        if (after === undefined) break;
      }
      return found.slice(0, MAX_SELECTED);
    },
    onSuccess: onSelect,
  });
  if (read.error) return <Failure error={read.error} />;
  return (
    <Button variant="default" size="xs" loading={read.isPending} onClick={() => read.mutate()}>
      {labelOf(totals?.count, totals?.counted_back_to !== undefined)}
    </Button>
  );
}

function labelOf(count: number | undefined, isAtLeast: boolean): string {
  if (count === undefined) return "Select all that match";
  if (count > MAX_SELECTED || isAtLeast) return `Select the newest ${tokens(MAX_SELECTED)}`;
  return `Select all ${tokens(count)} that match`;
}
