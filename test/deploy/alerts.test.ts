/** The alerts about rates: each is made true by its cause, and false once that is over. */
import { setImmediate as turn } from "node:timers/promises";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Registry } from "prom-client";
import { beforeEach, expect, it, vi } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { loadLimits, MAX_IN_PROGRESS } from "#runtime/load-limit.ts";
import { rpcMetrics } from "#runtime/metrics/rpc-metrics.ts";
import { sqlMetrics } from "#runtime/service/sql-metrics.ts";
import type { DriverConnection } from "#runtime/postgres/driver-connection.ts";
import { createPool } from "#runtime/postgres/pool.ts";
import { samplesOf } from "../../services/ops/status/samples.ts";
import { countRequest } from "../../services/gateway/edge/http/request-log.ts";
import { createMetrics } from "../../services/gateway/edge/http/metrics.ts";
import { holds } from "../support/alert-rules.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scrape } from "../support/scrape.ts";

let registry: Registry;
let atSeconds = 0;

beforeEach(() => {
  registry = new Registry();
});

/** Whether the alert's condition holds after what `work` did within a minute. */
async function isOnAfter(alert: string, work: () => Promise<unknown>): Promise<boolean> {
  const before = await scrape(registry, atSeconds);
  await work();
  atSeconds += 60;
  return holds(alert, [before, await scrape(registry, atSeconds)]);
}

it("a stopped billing makes its calls unavailable; a started one ends that", async () => {
  let isStopped = false;
  const transport = createRouterTransport(
    (router) =>
      void router.service(BillingService, {
        getBalance: () => {
          if (isStopped) throw new ConnectError("the connection was lost", Code.Unavailable);
          return {};
        },
      }),
    { transport: { interceptors: [rpcMetrics(registry).client("billing")] } },
  );
  const billing = createClient(BillingService, transport);
  const call = () => billing.getBalance({}).catch(() => undefined);
  const both = async () => {
    await call();
    isStopped = !isStopped;
    await call();
    isStopped = !isStopped;
  };
  await both();
  const manyTimes = async (work: () => Promise<unknown>) => {
    for (let i = 0; i < 20; i++) await work();
  };
  expect(await isOnAfter("CallsUnavailable", () => manyTimes(both))).toBe(true);
  expect(await isOnAfter("CallsUnavailable", () => manyTimes(call))).toBe(false);
});

it("requests answered with 5xx raise the alert, those with 4xx do not", async () => {
  const count = countRequest(createMetrics(registry));
  const answer = (status: number) =>
    count(
      { routeOptions: { config: { operationId: "listModels" } } } as unknown as FastifyRequest,
      { statusCode: status, elapsedTime: 1 } as FastifyReply,
    );
  for (const status of [200, 404, 503]) await answer(status);
  const manyTimes = async (status: number) => {
    for (let i = 0; i < 10; i++) await answer(status);
  };
  expect(await isOnAfter("ServerErrors", () => manyTimes(503))).toBe(true);
  expect(await isOnAfter("ServerErrors", () => manyTimes(404))).toBe(false);
  // One failure where there is little traffic wakes nobody.
  expect(await isOnAfter("ServerErrors", () => answer(503))).toBe(false);
});

it("callers that wait for connections raise the alert, until there are enough", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const connection = { isClosed: () => false, close: () => {} } as DriverConnection;
  const open = async () => connection;
  const observer = sqlMetrics(registry);
  const pool = createPool({ maxConnections: 1, waitMs: 60_000, open, observer });
  /** The one connection is in use for most of a minute. */
  const useWhile = async (callers: number) => {
    const used = await pool.take();
    const waiting = Array.from({ length: callers }, async () => pool.release(await pool.take()));
    vi.advanceTimersByTime(50_000);
    pool.release(used);
    await Promise.all(waiting);
  };
  expect(await isOnAfter("PoolWaits", () => useWhile(10))).toBe(true);
  expect(await isOnAfter("PoolWaits", () => useWhile(1))).toBe(false);
});

it("callers that give up raise the alert like those that get a connection late", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const open = () => Promise.withResolvers<never>().promise;
  const pool = createPool({
    maxConnections: 1,
    waitMs: 12_000,
    open,
    observer: sqlMetrics(registry),
  });
  const giveUp = async () => {
    const callers = Array.from({ length: 30 }, () => pool.take().catch(() => undefined));
    vi.advanceTimersByTime(12_000);
    await Promise.all(callers);
  };
  expect(await isOnAfter("PoolWaits", giveUp)).toBe(true);
  expect(await isOnAfter("PoolWaits", async () => {})).toBe(false);
});

it("a pool tells how many callers wait, and how many got nothing", async () => {
  const observer = sqlMetrics(registry);
  const opening = Promise.withResolvers<never>();
  const pool = createPool({
    maxConnections: 1,
    waitMs: 60_000,
    open: () => opening.promise,
    observer,
  });
  const taken = pool.take();
  const waiting = async () =>
    samplesOf(await registry.metrics()).find(({ labels }) => labels["state"] === "waiting")?.value;
  expect(await waiting()).toBe(1);
  opening.reject(new Error("no server"));
  await expect(taken).rejects.toThrow("cannot be reached");
  expect(await waiting()).toBe(0);
  expect(await registry.metrics()).toContain("media_sql_pool_refused_total 1");
});

it("refused requests raise the alert, until fewer come", async () => {
  const { take } = loadLimits({ clock: manualClock(), metrics: registry })("createVideo");
  const arrive = async (count: number) => {
    for (let index = 0; index < count; index += 1) void take();
    await turn();
  };
  await arrive(2 * MAX_IN_PROGRESS + 1);
  expect(await isOnAfter("RequestsShed", () => arrive(100))).toBe(true);
  expect(await isOnAfter("RequestsShed", () => arrive(10))).toBe(false);
});
