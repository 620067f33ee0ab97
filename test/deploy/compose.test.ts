/**
 * compose.yaml as processes: its commands and environment start a service that works. Fires use the same fleet, so it
 * runs with TEST_SIZE=long only.
 */
import { describe, expect, it } from "vitest";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { startFleet } from "../support/compose/compose.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { isLong } from "../support/test-size.ts";
import { forTests } from "../support/for-tests.ts";

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
});
