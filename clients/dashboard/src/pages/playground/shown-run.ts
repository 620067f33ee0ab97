/** The run that the playground shows under Result. */
import { keep, useKept } from "../../session/kept.ts";
import { type Scope, useScope } from "../../data/scope.ts";

const nameOf = ({ account, mode, user }: Scope) => `${user.id} ${account.id} ${mode} run`;

/** Shows the run under Result, also when the playground is no longer open. */
export function showResult(scope: Scope, id: string): void {
  keep(nameOf(scope), id);
}

export function useShownRun(): [string | undefined, (id: string) => void] {
  const scope = useScope();
  return [useKept<string>(nameOf(scope)), (id) => showResult(scope, id)];
}
