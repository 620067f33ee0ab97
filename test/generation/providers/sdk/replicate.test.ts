/** Replicate's SDK and our adapter, side by side before one fake. */
import Replicate, { validateWebhook, type Prediction } from "replicate";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { replicateProvider } from "../../../../services/generation/providers/replicate/replicate.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import {
  REPLICATE_SECRET,
  replicateCallback,
  startReplicateFake,
} from "../../../support/fake-upstreams/replicate.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { accepted, jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest, expectStates } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream) => new Replicate({ auth: key, baseUrl });
const adapterOf = ({ baseUrl, key }: FakeUpstream, clock = manualClock()) =>
  replicateProvider({ baseUrl, key, clock, callbackSecret: REPLICATE_SECRET });

const MODEL = "bytedance/seedance-2.0";
const callbackUrl = "https://api.test/callbacks/a";
const video = jobWith({ kind: "video", model: MODEL, callbackUrl });
const asked = {
  model: MODEL,
  input: { prompt: video.prompt, aspect_ratio: "16:9", duration: 5 },
  webhook: callbackUrl,
  webhook_events_filter: ["completed" as const],
};

test("a create, a poll, a list and a cancel are sent as the SDK does", async () => {
  const clock = manualClock();
  await using fake = await startReplicateFake(clock);
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake, clock)];
  const create = {
    ours: () => adapter.submit(video, never),
    sdk: () => sdk.predictions.create(asked),
  };
  await expectSameRequest(fake, INTENDED.replicate, create);
  const id = fake.jobs[0]?.id ?? "";
  const lost = { job: video, sentAt: clock.now() };
  const reads: { ours: () => Promise<unknown>; sdk: () => Promise<unknown> }[] = [
    { ours: () => adapter.poll(id, never), sdk: () => sdk.predictions.get(id) },
    { ours: () => adapter.find(lost, never), sdk: () => sdk.predictions.list() },
    { ours: () => adapter.cancel(id, never), sdk: () => sdk.predictions.cancel(id) },
    { ours: () => adapter.check(never), sdk: () => sdk.accounts.current() },
  ];
  for (const read of reads) await expectSameRequest(fake, INTENDED.replicateRead, read);
});

test("a callback that the SDK verifies is genuine to the adapter, and the other way round", async () => {
  const clock = manualClock();
  await using fake = await startReplicateFake(clock);
  const adapter = adapterOf(fake, clock);
  const secret = REPLICATE_SECRET;
  const verified = async ({ headers, body }: ReturnType<typeof replicateCallback>) => {
    const byUs = (await adapter.callback?.({ headers, body })) !== undefined;
    const bySdk = await validateWebhook({
      id: headers["webhook-id"] ?? "",
      timestamp: headers["webhook-timestamp"] ?? "",
      signature: headers["webhook-signature"] ?? "",
      body: Buffer.from(body).toString(),
      secret,
    });
    return [byUs, bySdk];
  };
  const ofFake = replicateCallback("abc", clock.now());
  expect(await verified(ofFake)).toEqual([true, true]);
  const body = JSON.stringify({ id: "abc", status: "succeeded" });
  const ofStandard = {
    headers: {
      "webhook-id": "msg_2",
      "webhook-timestamp": `${Math.floor(clock.now().getTime() / 1000)}`,
      "webhook-signature": new Webhook(secret).sign("msg_2", clock.now(), body),
    },
    body: Buffer.from(body),
  };
  expect(await verified(ofStandard)).toEqual([true, true]);
  expect(await verified({ ...ofFake, body: Buffer.from("{}") })).toEqual([false, false]);
});

/** A new status of the SDK does not compile. */
const STATES: Record<Prediction["status"], string> = {
  starting: "running",
  processing: "running",
  succeeded: "succeeded",
  failed: "upstream_failed",
  canceled: "stopped",
  aborted: "stopped",
};

test("every status that the SDK knows is one of the adapter's", async () => {
  await using fake = await startReplicateFake(manualClock());
  const adapter = adapterOf(fake);
  const upstreamId = await accepted(adapter, video);
  await expectStates({ fake, adapter, upstreamId }, STATES);
});
