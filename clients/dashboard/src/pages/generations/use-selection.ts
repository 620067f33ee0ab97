/** The generations that the user has chosen, in the table and the gallery alike, and also of those that are not shown yet. */
import { useState } from "react";
import type { Generation } from "../../api/client.ts";

export type Selection = {
  selected: readonly Generation[];
  has: (id: string) => boolean;
  set: (id: string, isSelected: boolean) => void;
  setAll: (isSelected: boolean) => void;
  /** Chooses all of these, in place of what was chosen before. */
  replace: (generations: readonly Generation[]) => void;
  remove: (ids: readonly string[]) => void;
};

/** `list` names the list: what another one has, or what is no longer in it, is not selected. */
export function useSelection(list: string, shown: readonly Generation[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [further, setFurther] = useState<{ list: string; generations: readonly Generation[] }>();
  const remove = (ids: readonly string[]) => {
    const removed = new Set(ids);
    setChosen((before) => new Set([...before].filter((id) => !removed.has(id))));
  };
  const isShown = new Set(shown.map(({ id }) => id));
  const hidden = further?.list === list ? further.generations : [];
  const candidates = [...shown, ...hidden.filter(({ id }) => !isShown.has(id))];
  const replace = (generations: readonly Generation[]) => {
    setFurther({ list, generations });
    setChosen(new Set(generations.map(({ id }) => id)));
  };
  return {
    selected: candidates.filter(({ id }) => chosen.has(id)),
    has: (id) => chosen.has(id),
    set: (id, isSelected) =>
      isSelected ? setChosen((before) => new Set([...before, id])) : remove([id]),
    setAll: (isSelected) => replace(isSelected ? shown : []),
    replace,
    remove,
  };
}
