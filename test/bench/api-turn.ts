/** A turn of the API benchmarks: the requests of a row, sent to a server for some seconds. */
import type { WholeService } from "../support/whole-service.ts";
import type { Child } from "./api-children.ts";
import type { LoadOrder, LoadResult } from "./api-load.ts";
import type { Turn } from "./api-report.ts";
import { apiRows, type Row } from "./api-rows.ts";
import { makeGenerations, openAccounts, processorMs } from "./api-service.ts";

const ACCOUNTS = 20;

/** Where requests go, and the processes whose time counts. */
export type Target = { port: number; pids: readonly number[] };

export function targetOf({ url, pids }: WholeService): Target {
  return { port: Number(new URL(url).port), pids };
}

/** The rows as this service takes them: with keys of its accounts, for generations that it has. */
export async function rowsOf(service: WholeService): Promise<Row[]> {
  const keys = await openAccounts(service, ACCOUNTS);
  return apiRows(keys, await makeGenerations(service, keys[0] ?? ""));
}

/** `loader` is the child `api-load.ts`. */
export function runOn(loader: Child): (row: Row, to: Target, seconds: number) => Promise<Turn> {
  return async (row, to, seconds) => {
    const { connections, requests } = row;
    const before = processorMs(to.pids);
    loader.send({ port: to.port, connections, seconds, requests } satisfies LoadOrder);
    const result = await loader.message<LoadResult>();
    return { ...result, processorMs: processorMs(to.pids) - before };
  };
}
