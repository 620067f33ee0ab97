import { afterAll, beforeAll, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { startWorker } from "../../../services/generation/worker/worker.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";
import { scriptedRoute, scriptedRoutes } from "../../support/scripted-upstreams.ts";

let h: Harness;
beforeAll(async () => {
  h = await generationHarness({ ...systemClock, advance: () => {} });
});
afterAll(() => h[Symbol.asyncDispose]());

const create = async (accountId: string, model: string) => {
  const address = { accountId, mode: Mode.LIVE, generationId: randomId("vgen") };
  await h.client.createVideo({ ...address, model, input: { prompt: "a cat" } });
  return async () =>
    (await h.client.getGeneration({ ...address, kind: Kind.VIDEO })).generation?.status;
};

it("an upstream that answers nothing, with more tasks than a worker has slots, does not hold up another's", async () => {
  const [hanging, quick] = [scriptedRoute("hanging"), scriptedRoute("quick")];
  h.deps.upstreams = scriptedRoutes(hanging, quick);
  h.deps.upstreams.available = (_mode, model) => [model === "alpha-2.0-mini" ? hanging : quick];
  let letGo: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  hanging.provider.onSubmit = async () => {
    await held;
    return { kind: "unknown" };
  };
  const accountId = await h.account(10_000n);
  for (let i = 0; i < 12; i++) await create(accountId, "alpha-2.0-mini");
  await using worker = startWorker(h.deps, 4);
  h.hooks.onRing = worker.wake;
  await expect.poll(() => hanging.provider.submitted.length).toBe(2);
  const status = await create(accountId, "alpha-2.0");
  await expect.poll(status, { timeout: 5_000 }).toBe(Status.SUCCESS);
  expect(hanging.provider.submitted).toHaveLength(2);
  letGo();
});
