/** Which runs the playground shows: the one under Result, and those that are compared. */
import { keep, readKept, useKept } from "../../session/kept.ts";
import { type Scope, useScope } from "../../data/scope.ts";

export const MAX_COMPARED = 4;

type Shown = { result?: string; compared: readonly string[] };

const NONE: Shown = { compared: [] };

const nameOf = ({ account, mode, user }: Scope) => `${user.id} ${account.id} ${mode} runs`;

/** Shows the run under Result, also when the playground is no longer open. */
export function showResult(scope: Scope, id: string): void {
  const name = nameOf(scope);
  keep(name, { ...(readKept<Shown>(name) ?? NONE), result: id });
}

export function useShownRuns() {
  const scope = useScope();
  const name = nameOf(scope);
  const shown = useKept<Shown>(name) ?? NONE;
  return {
    ...shown,
    show: (id: string) => showResult(scope, id),
    compare: (id: string, isCompared: boolean) => {
      const others = shown.compared.filter((one) => one !== id);
      keep(name, { ...shown, compared: isCompared ? [...others, id] : others });
    },
    endComparison: () => keep(name, { ...shown, compared: [] }),
  };
}

export type ShownRuns = ReturnType<typeof useShownRuns>;
