/** The entries of a list that the user has chosen, among those that are loaded. */
import { useSelection as useChosen } from "@mantine/hooks";
import { useRef, type ChangeEvent } from "react";

export type Selection<Entry extends { id: string }> = ReturnType<typeof useSelection<Entry>>;

export function useSelection<Entry extends { id: string }>(shown: readonly Entry[]) {
  const data = shown.map(({ id }) => id);
  const [chosen, { select, deselect, setSelection }] = useChosen({ data });
  const last = useRef<string>(undefined);
  return {
    selected: shown.filter(({ id }) => chosen.includes(id)),
    has: (id: string) => chosen.includes(id),
    /** By its checkbox; with Shift also all between it and the one before. */
    change: (id: string, { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
      const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
      const ids = isRange ? between(shown, id, last.current) : [id];
      last.current = id;
      ids.forEach(currentTarget.checked ? select : deselect);
    },
    setAll: (isSelected: boolean) => setSelection(isSelected ? data : []),
    remove: (ids: readonly string[]) => ids.forEach(deselect),
  };
}

/** The ids from one to the other, in whichever order; `id` alone where the other is not shown. */
function between(
  shown: readonly { id: string }[],
  id: string,
  other: string | undefined,
): string[] {
  const [at, from] = [id, other].map((end) => shown.findIndex((one) => one.id === end));
  if (at === undefined || from === undefined || at < 0 || from < 0) return [id];
  return shown.slice(Math.min(at, from), Math.max(at, from) + 1).map((one) => one.id);
}
