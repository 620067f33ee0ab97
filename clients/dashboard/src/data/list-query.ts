/** The filters of the list from which a generation was opened, so that the way back leads to the same list. */
import { useLocation } from "react-router";

/** The `state` of a link to a generation. */
export type FromList = { listQuery: string };

/** For links: the query of this page, which is the list's. */
export function useFromList(): FromList {
  return { listQuery: useLocation().search };
}

/** For the page of a generation: the list's query; empty where it was opened from elsewhere. */
export function useListQuery(): string {
  const state = useLocation().state as Partial<FromList> | null;
  return typeof state?.listQuery === "string" ? state.listQuery : "";
}
