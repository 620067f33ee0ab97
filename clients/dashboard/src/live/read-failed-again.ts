/** Reads again what could not be read while the server was out of reach, so that nobody has to press "Try again". */
import type { Query } from "@tanstack/react-query";
import { Refusal } from "../api/refusal.ts";

/** What it needs of a QueryClient. */
type Refetching = {
  refetchQueries: (filter: {
    type: "active";
    predicate: (query: Pick<Query, "state">) => boolean;
  }) => Promise<void>;
};

/** What the server has refused stays refused. */
export function readFailedAgain(client: Refetching): void {
  const predicate = ({ state: { status, error } }: Pick<Query, "state">) =>
    status === "error" && !(error instanceof Refusal && error.status < 500);
  void client.refetchQueries({ type: "active", predicate });
}
