/** The figures that alerts about rates look at; promtool.test.ts tests the alerts. */
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { beforeEach, expect, it, vi } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { rpcMetrics } from "#runtime/metrics/metrics.ts";
import { sqlMetrics } from "#runtime/service/sql-metrics.ts";
import type { DriverConnection } from "#runtime/postgres/driver-connection.ts";
import { createPool } from "#runtime/postgres/pool.ts";
import { figure, scrape } from "../support/scrape.ts";

let registry: Registry;
beforeEach(() => void (registry = new Registry()));

const poolOf = (open: () => Promise<DriverConnection>) =>
  createPool({ maxConnections: 1, waitMs: 60_000, open, observer: sqlMetrics(registry) });

const valueOf = async (name: string, labels = {}) => figure(await scrape(registry), name, labels);

it("counts calls of a stopped billing as unavailable, and those of a started one as ok", async () => {
  let isStopped = false;
  const getBalance = () => {
    if (isStopped) throw new ConnectError("the connection was lost", Code.Unavailable);
    return {};
  };
  const transport = createRouterTransport(
    (router) => void router.service(BillingService, { getBalance }),
    { transport: { interceptors: [rpcMetrics(registry).client("billing")] } },
  );
  const billing = createClient(BillingService, transport);
  const calls = (code: string) =>
    valueOf("media_rpc_client_duration_seconds_count", { service: "billing", code });
  for (isStopped of [false, true, false]) await billing.getBalance({}).catch(() => undefined);
  expect([await calls("ok"), await calls("unavailable")]).toEqual([2, 1]);
});

it("adds up how long callers wait for connections", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const connection = { isClosed: () => false, close: () => {} } as DriverConnection;
  const pool = poolOf(async () => connection);
  /** The one connection is in use for most of a minute. */
  const useWhile = async (callers: number) => {
    const used = await pool.take();
    const waiting = Array.from({ length: callers }, async () => pool.release(await pool.take()));
    vi.advanceTimersByTime(50_000);
    pool.release(used);
    await Promise.all(waiting);
  };
  await useWhile(10);
  expect(await valueOf("media_sql_pool_wait_seconds_sum")).toBeCloseTo(500);
  // One that gives up has waited too.
  const used = await pool.take();
  const refused = pool.take().catch(() => "refused");
  vi.advanceTimersByTime(60_000);
  expect(await refused).toBe("refused");
  pool.release(used);
  expect(await valueOf("media_sql_pool_wait_seconds_sum")).toBeCloseTo(560);
});

it("a pool tells how many callers wait, and how many got nothing", async () => {
  const opening = Promise.withResolvers<never>();
  const pool = poolOf(() => opening.promise);
  const taken = pool.take();
  const waiting = () => valueOf("media_sql_pool_connections", { state: "waiting" });
  expect(await waiting()).toBe(1);
  opening.reject(new Error("no server"));
  await expect(taken).rejects.toThrow("cannot be reached");
  expect(await waiting()).toBe(0);
  expect(await valueOf("media_sql_pool_refused_total")).toBe(1);
});
