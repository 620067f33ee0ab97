/** What a fleet takes up at one time, summed over its processes. */
import { readdir } from "node:fs/promises";
import postgres from "postgres";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import type { Fleet } from "../support/compose/compose.ts";
import { residentMb } from "./memory.ts";

export type Sample = {
  memoryMegabytes: number;
  /** Of the largest process. */
  maxMemoryMegabytes: number;
  handles: number;
  /** In the tables of all services. */
  deadRows: number;
  liveRows: number;
  p50Ms: number;
  p99Ms: number;
};

export async function sampleFleet(fleet: Fleet): Promise<Omit<Sample, "p50Ms" | "p99Ms">> {
  const pids = SERVICES.flatMap(fleet.of).map(({ pid }) => pid());
  const memory = pids.map((pid) => residentMb(pid));
  const [handles, rows] = await Promise.all([
    Promise.all(pids.map(async (pid) => (await readdir(`/proc/${pid}/fd`)).length)),
    readRows(fleet),
  ]);
  return {
    memoryMegabytes: sum(memory),
    maxMemoryMegabytes: Math.max(...memory),
    handles: sum(handles),
    ...rows,
  };
}

async function readRows({ postgres: server }: Fleet) {
  const url = new URL(server.superuserUrl());
  url.pathname = "/media";
  const sql = postgres(url.href, { max: 1 });
  try {
    const [rows] = await sql<{ deadRows: number; liveRows: number }[]>`
      select sum(n_dead_tup)::float as "deadRows", sum(n_live_tup)::float as "liveRows"
      from pg_stat_user_tables`;
    return rows ?? { deadRows: 0, liveRows: 0 };
  } finally {
    await sql.end();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
