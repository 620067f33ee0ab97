/** The generations of the list that the user has chosen, in the table and the gallery alike. */
import { useState } from "react";
import type { Generation } from "../../api/client.ts";

export type Selection = {
  selected: readonly Generation[];
  has: (id: string) => boolean;
  set: (id: string, isSelected: boolean) => void;
  setAll: (isSelected: boolean) => void;
  remove: (ids: readonly string[]) => void;
};

/** What is no longer shown is not selected. */
export function useSelection(shown: readonly Generation[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const remove = (ids: readonly string[]) =>
    setChosen((before) => new Set([...before].filter((id) => !ids.includes(id))));
  return {
    selected: shown.filter(({ id }) => chosen.has(id)),
    has: (id) => chosen.has(id),
    set: (id, isSelected) =>
      isSelected ? setChosen((before) => new Set([...before, id])) : remove([id]),
    setAll: (isSelected) => setChosen(new Set(isSelected ? shown.map(({ id }) => id) : [])),
    remove,
  };
}
