/** What operators see of a pool of connections; promtool.test.ts tests the alerts. */
import { Registry } from "prom-client";
import { createPool } from "#runtime/postgres/pool.ts";
import { sqlMetrics } from "#runtime/service/sql-metrics.ts";
import { figure, scrape } from "../support/scrape.ts";

it("a pool tells how many callers wait, and how many got nothing", async () => {
  const registry = new Registry();
  const valueOf = async (name: string, labels = {}) => figure(await scrape(registry), name, labels);
  const opening = Promise.withResolvers<never>();
  const open = () => opening.promise;
  const observer = sqlMetrics(registry);
  const taken = createPool({ maxConnections: 1, waitMs: 60_000, open, observer }).take();
  const waiting = () => valueOf("media_sql_pool_connections", { state: "waiting" });
  expect(await waiting()).toBe(1);
  opening.reject(new Error("no server"));
  await expect(taken).rejects.toThrow("cannot be reached");
  expect(await waiting()).toBe(0);
  expect(await valueOf("media_sql_pool_refused_total")).toBe(1);
});
