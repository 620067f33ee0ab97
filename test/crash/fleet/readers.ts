/** Customers who read all the time, and notice when an end that they read changes. */
import { systemClock } from "#runtime/clock.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import type { FleetCustomer } from "./customers.ts";
import type { Order } from "./orders.ts";
import type { Random } from "./seed.ts";

const READERS = 4;
const READ_EVERY_MS = 200;

export function startReaders(
  customers: readonly FleetCustomer[],
  orders: readonly Order[],
  random: Random,
) {
  const stop = new AbortController();
  const ends = new Map<string, string>();
  const contradictions: string[] = [];
  const readVideo = async (client: Client, id: string) => {
    const { status } = await client.videos.retrieve(id);
    const end = ends.get(id);
    if (end !== undefined && end !== status) {
      contradictions.push(`${id} was ${end} and is ${status}`);
    }
    if (status !== "pending" && status !== "processing") ends.set(id, status);
  };
  const read = async () => {
    while (!stop.signal.aborted) {
      const { accountId, clients } = random.pick(customers);
      const mode = random.pick(["live", "test"] as const);
      const client = clients[mode];
      const known = orders.filter(
        (order) => order.accountId === accountId && order.mode === mode && order.kind === "video",
      );
      const ids = known.flatMap((order) => [...order.ids]);
      const reads: (() => Promise<unknown>)[] = [
        () => client.balance.retrieve(),
        () => client.models.list(),
        ...(ids.length === 0 ? [] : [() => readVideo(client, random.pick(ids))]),
      ];
      const chosen = random.pick(reads);
      await chosen().catch(() => undefined);
      await systemClock.sleep(READ_EVERY_MS, stop.signal);
    }
  };
  const readers = Array.from({ length: READERS }, read);
  return {
    /** Ends that were different later, in sentences. */
    contradictions,
    stop: () => {
      stop.abort();
      return Promise.all(readers);
    },
  };
}
