/**
 * compose.yaml as processes: its commands and environment start a service that works. Fires use the same fleet, so it
 * runs with TEST_SIZE=long only.
 */
import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { startFleet } from "../support/compose/compose.ts";
import { holds } from "../support/alert-rules.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { scrapeReplicas } from "../support/scrape.ts";
import { isLong } from "../support/test-size.ts";
import { forTests } from "../support/for-tests.ts";

const SOON = { timeout: 60_000 };

describe.runIf(isLong)("the fleet of compose.yaml", () => {
  const fleet = forTests(startFleet);

  it("starts two replicas of each service and three NATS servers", () => {
    for (const service of SERVICES) {
      expect(fleet.of(service).map(({ state }) => state())).toEqual(["running", "running"]);
    }
    expect(fleet.natsServers()).toHaveLength(3);
  });

  it("makes a video through the load balancer and serves its bytes from S3", async () => {
    const customer = await newCustomer(fleet);
    for (const mode of ["live", "test"] as const) {
      const client = clientOf(fleet.url, await customer.key(mode));
      const { id } = await client.videos.create({
        model: "beta-3.0-video",
        prompt: "a cat",
        duration: 2,
      });
      const ended = await client.videos.wait(id, { pollMs: 100 });
      expect(ended).toMatchObject({ status: "success" });
      const file = await fetch(ended.output[0]?.url ?? "");
      expect(file.status).toBe(200);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    }
  });

  const scrape = () =>
    scrapeReplicas(
      Object.fromEntries(
        SERVICES.map((name) => [name, fleet.of(name).map((replica) => replica.url(9_000))]),
      ),
    );
  /** Which of these alerts' conditions hold after what `work` does. */
  const onAfter = async (alerts: string[], work: () => Promise<unknown>) => {
    const before = await scrape();
    await work();
    const scrapes = [before, await scrape()];
    return alerts.filter((alert) => holds(alert, scrapes));
  };

  it("raises alerts while billing is stopped, and none once it is started", async () => {
    const customer = await newCustomer(fleet);
    const client = clientOf(fleet.url, await customer.key("live"), { maxAttempts: 1 });
    const alerts = ["ReplicaDown", "CallsUnavailable", "ServerErrors"];
    const read = () => client.balance.retrieve().catch(() => undefined);
    const readByEach = async () => {
      for (let i = 0; i < 12; i++) await read();
    };
    await Promise.all(fleet.of("billing").map((replica) => replica.kill()));
    // Prometheus sees no rise of a series that it did not know before.
    await readByEach();
    expect(await onAfter(alerts, readByEach)).toEqual(alerts);
    await Promise.all(fleet.of("billing").map((replica) => replica.start()));
    await expect.poll(() => onAfter(alerts, readByEach), SOON).toEqual([]);
  });

  it("raises an alert while a worker is frozen", async () => {
    const [worker] = fleet.of("generation");
    worker?.pause();
    expect(await onAfter(["ReplicaDown"], async () => {})).toEqual(["ReplicaDown"]);
    worker?.continue();
    await expect.poll(() => onAfter(["ReplicaDown"], async () => {}), SOON).toEqual([]);
  });

  it("raises an alert while the servers of the stream are gone, and another when it is made again", async () => {
    const servers = fleet.natsServers();
    const before = await scrape();
    await Promise.all(servers.map((server) => server.kill()));
    const isOn = async (alert: string) => holds(alert, [before, await scrape()]);
    await expect.poll(() => isOn("EventStreamDown"), SOON).toBe(true);
    await Promise.all(
      servers.map((server) => rm(fleet.storeOf(server), { recursive: true, force: true })),
    );
    await Promise.all(servers.map((server) => server.start()));
    await expect.poll(() => isOn("EventStreamLost"), SOON).toBe(true);
    await expect.poll(() => isOn("EventStreamDown"), SOON).toBe(false);
    await expect.poll(() => onAfter(["EventStreamLost"], async () => {}), SOON).toEqual([]);
  });
});
