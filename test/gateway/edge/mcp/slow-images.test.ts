/** Images that take longer than clients of MCP wait for a tool. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { image } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { modern } from "./clients.ts";

const clock = manualClock();
const harness = useHarness({ clock });

it("are answered with their id after 45 seconds, to be read later", async () => {
  harness.backends.createImage = ({ generationId: id }) => ({
    generation: image({ id, status: Status.PENDING, progress: 0, output: [] }),
    replayed: false,
  });
  harness.backends.getGeneration = ({ generationId: id }) => ({
    generation: image({ id, status: Status.PROCESSING, progress: 0, output: [] }),
  });
  await using client = await modern(harness.url, harness.key.secret);
  const input = { model: "gamma-image-3.0-pro", prompt: "a cat", idempotency_key: "cat-1" };
  const heard: number[] = [];
  const answer = client.call("generate_image", input, {
    onprogress: ({ progress }) => heard.push(progress),
  });
  let isAnswered = false;
  void answer.finally(() => (isAnswered = true));
  const startedMs = clock.now().getTime();
  await expect.poll(() => harness.calls.some(({ method }) => method === "createImage")).toBe(true);
  await expect.poll(() => heard.length).toBe(1);
  while (!isAnswered) {
    clock.advance(1_000);
    await turn();
  }
  const { structuredContent, isError } = await answer;
  const [created] = harness.calls.filter(({ method }) => method === "createImage");
  expect(isError).not.toBe(true);
  expect(structuredContent).toMatchObject({
    id: (created as { request: { generationId: string } } | undefined)?.request.generationId,
    status: "processing",
    next: expect.stringContaining("get_generation"),
  });
  expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(45_000);
});
