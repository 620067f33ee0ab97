/** The button that selects all that the filters of a list match, not only what is shown. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { BusyButton } from "./form/busy-button.tsx";
import type { Schemas } from "../api/client.ts";
import { Failure } from "./failure.tsx";
import { tokens } from "./value-format.ts";

const MAX_SELECTED = 1_000;
const PAGE_SIZE = 100;
/** A page of a search may be empty: it ends where it has read enough. */
const MAX_PAGES = 50;

type Props<Entry> = {
  /** How many match, as a query of the cache. */
  totals: { queryKey: readonly unknown[]; queryFn: () => Promise<Schemas["ListTotals"]> };
  /** Reads a page of the list. `next` is what the following one comes after; absent when there is none. */
  read: (page: { limit: number; after?: string }) => Promise<{
    data: readonly Entry[];
    next?: string | undefined;
  }>;
  onSelect: (entries: readonly Entry[]) => void;
};

export function SelectAll<Entry>({ totals, read, onSelect }: Props<Entry>) {
  const counted = useQuery({ ...totals, staleTime: Number.POSITIVE_INFINITY }).data;
  const all = useMutation({
    mutationFn: async () => {
      const found: Entry[] = [];
      let after: string | undefined;
      for (let page = 0; page < MAX_PAGES && found.length < MAX_SELECTED; page += 1) {
        const { data, next } = await read({ limit: PAGE_SIZE, ...(after && { after }) });
        found.push(...data);
        after = next;
        if (after === undefined) break;
      }
      return found.slice(0, MAX_SELECTED);
    },
    onSuccess: onSelect,
  });
  if (all.error) return <Failure error={all.error} />;
  return (
    <BusyButton variant="default" size="xs" isBusy={all.isPending} onClick={() => all.mutate()}>
      {labelOf(counted?.count, counted?.counted_back_to !== undefined)}
    </BusyButton>
  );
}

function labelOf(count: number | undefined, isAtLeast: boolean): string {
  if (count === undefined) return "Select all that match";
  if (count > MAX_SELECTED || isAtLeast) return `Select the newest ${tokens(MAX_SELECTED)}`;
  return `Select all ${tokens(count)} that match`;
}
