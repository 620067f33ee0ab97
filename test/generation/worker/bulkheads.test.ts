/** An upstream that hangs takes only its share of a worker's slots. */
import { describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { startWorker } from "../../../services/generation/worker/worker.ts";
import { realClock } from "../../support/generation-harness.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-upstreams.ts";
import { createVideo, useHarness } from "../harness.ts";

const h = useHarness({ tokens: 10_000n, clock: realClock });

describe("an upstream that answers nothing, with more tasks than a worker can run", () => {
  it("does not hold up the tasks of another upstream", async () => {
    const [hanging, quick] = [scriptedUpstream("hanging"), scriptedUpstream("quick")];
    h.deps.upstreams = scriptedUpstreams(hanging, quick);
    h.deps.upstreams.available = (_mode, model) => [model === "alpha-2.0-mini" ? hanging : quick];
    const released = Promise.withResolvers<void>();
    hanging.provider.onSubmit = async () => {
      await released.promise;
      return { kind: "unknown" };
    };
    for (let i = 0; i < 12; i++) await createVideo(h, { model: "alpha-2.0-mini" });
    await using worker = startWorker(h.deps, 4);
    h.hooks.onWake = worker.wake;
    await expect.poll(() => hanging.provider.submitted.length).toBe(2);
    const { status } = await createVideo(h);
    await expect.poll(status, { timeout: 5_000 }).toBe(Status.SUCCESS);
    expect(hanging.provider.submitted).toHaveLength(2);
    released.resolve();
  });
});
