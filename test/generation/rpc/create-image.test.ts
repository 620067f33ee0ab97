/** How long CreateImage, and what waits as it does, keeps its caller waiting. */
import { beforeEach, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

const LEFT_MS = 30_000;

it("a call that is repeated late is answered within what is left of its deadline, not after its whole wait", async () => {
  const address = { accountId: h.accountId, mode: Mode.LIVE, generationId: randomId("igen") };
  const request = { ...address, model: "gamma-image-3.0-pro", input: { prompt: "a cat" } };
  await h.client.createImage({ ...request, waitSeconds: 0 });
  let answer: Awaited<ReturnType<typeof h.client.createImage>> | undefined;
  const call = h.client
    .createImage({ ...request, waitSeconds: 120 }, { timeoutMs: LEFT_MS })
    .then((response) => void (answer = response));
  const begunAt = h.clock.now().getTime();
  await expect
    .poll(() => {
      if (h.clock.now().getTime() - begunAt < LEFT_MS) h.clock.advance(500);
      return answer?.generation?.status;
    })
    .toBe(Status.PROCESSING);
  await call;
});
