/** The entries of a list that the user has chosen, among those that are loaded. */
import { useRef, useState, type ChangeEvent } from "react";

export type Selection<Entry> = {
  selected: readonly Entry[];
  has: (id: string) => boolean;
  /** By its checkbox; with Shift also all between it and the one before. */
  change: (id: string, event: ChangeEvent<HTMLInputElement>) => void;
  setAll: (isSelected: boolean) => void;
  remove: (ids: readonly string[]) => void;
};

export function useSelection<Entry extends { id: string }>(
  shown: readonly Entry[],
): Selection<Entry> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const remove = (ids: readonly string[]) => {
    const removed = new Set(ids);
    setChosen((before) => new Set([...before].filter((id) => !removed.has(id))));
  };
  return {
    selected: shown.filter(({ id }) => chosen.has(id)),
    has: (id) => chosen.has(id),
    change: (id, { currentTarget, nativeEvent }) => {
      const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
      const ids = isRange ? between(shown, id, last.current) : [id];
      last.current = id;
      if (currentTarget.checked) setChosen((before) => new Set([...before, ...ids]));
      else remove(ids);
    },
    setAll: (isSelected) => setChosen(new Set(isSelected ? shown.map(({ id }) => id) : [])),
    remove,
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
