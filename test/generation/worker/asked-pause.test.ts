/** How long a task waits that an upstream has sent away for a while: never past its deadlines. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-upstreams.ts";
import { after, createImage, createVideo, useHarness } from "../fixture.ts";

const DAY_MS = 24 * 3_600_000;
const h = useHarness({ tokens: 2_000n });
let upstream = scriptedUpstream("one");
beforeEach(async () => {
  await h.endTasks();
  upstream = scriptedUpstream("one");
  h.deps.upstreams = scriptedUpstreams(upstream);
});

const asksFor = (retryAfterMs: number) => () =>
  ({ kind: "rejected", fault: "rate_limited", retryAfterMs }) as const;

describe("a task whose upstream asks for", () => {
  it.each([
    ["a day", DAY_MS],
    ["more than any date", 1e17],
  ])("%s is sent again within two minutes", async (_text, ms) => {
    const { read } = await createVideo(h);
    upstream.provider.onSubmit = asksFor(ms);
    await h.drain();
    upstream.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    for (let minute = 0; minute < 2; minute++) await after(h, 60_000);
    await after(h, 1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("hours again and again ends at its deadline", async () => {
    const { read } = await createImage(h);
    upstream.provider.onImage = asksFor(3 * 3_600_000);
    await h.drain();
    for (let minute = 0; minute < 6; minute++) await after(h, 60_000);
    expect((await read())?.status).toBe(Status.FAILED);
    expect(await h.balance(h.accountId)).toEqual([2_000n, 0n]);
  });
});
