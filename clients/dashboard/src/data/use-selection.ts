/** The entries of a list that the user has chosen, and also of those that are not shown yet. */
import { useRef, useState, type ChangeEvent } from "react";
import type { Generation } from "../api/client.ts";

export type Selection<Entry = Generation> = {
  selected: readonly Entry[];
  has: (id: string) => boolean;
  /** By its checkbox; with Shift also all between it and the one before. */
  change: (id: string, event: ChangeEvent<HTMLInputElement>) => void;
  setAll: (isSelected: boolean) => void;
  /** Chooses all of these, in place of what was chosen before. */
  replace: (entries: readonly Entry[]) => void;
  remove: (ids: readonly string[]) => void;
};

/** `list` names the list: what another one has, or what is no longer in it, is not selected. */
export function useSelection<Entry extends { id: string }>(
  list: string,
  shown: readonly Entry[],
): Selection<Entry> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [further, setFurther] = useState<{ list: string; entries: readonly Entry[] }>();
  const last = useRef<string>(undefined);
  const remove = (ids: readonly string[]) => {
    const removed = new Set(ids);
    setChosen((before) => new Set([...before].filter((id) => !removed.has(id))));
  };
  const isShown = new Set(shown.map(({ id }) => id));
  const hidden = further?.list === list ? further.entries : [];
  const candidates = [...shown, ...hidden.filter(({ id }) => !isShown.has(id))];
  const replace = (entries: readonly Entry[]) => {
    setFurther({ list, entries });
    setChosen(new Set(entries.map(({ id }) => id)));
  };
  return {
    selected: candidates.filter(({ id }) => chosen.has(id)),
    has: (id) => chosen.has(id),
    change: (id, { currentTarget, nativeEvent }) => {
      const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
      const ids = isRange ? between(shown, id, last.current) : [id];
      last.current = id;
      if (currentTarget.checked) setChosen((before) => new Set([...before, ...ids]));
      else remove(ids);
    },
    setAll: (isSelected) => replace(isSelected ? shown : []),
    replace,
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
