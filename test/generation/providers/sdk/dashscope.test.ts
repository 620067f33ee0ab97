/** The AI SDK of Alibaba and our adapter, side by side before one fake. */
import { createAlibaba } from "@ai-sdk/alibaba";
import { test } from "vitest";
import { dashscopeProvider } from "../../../../services/generation/providers/dashscope/dashscope.ts";
import { startDashscope } from "../../../support/fake-upstreams/dashscope.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const modelOf = ({ baseUrl, key }: FakeUpstream, id: string) => {
  const model = createAlibaba({ apiKey: key, videoBaseURL: baseUrl }).video(id);
  if (!model.doStart || !model.doStatus) throw new Error("the SDK has no operations");
  return { start: model.doStart.bind(model), status: model.doStatus.bind(model) };
};
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  dashscopeProvider({ baseUrl, key, clock: manualClock() });

const PICTURE = "https://files.test/first.png";
const video = jobWith({ kind: "video", model: "wan3.0-video", parameters: { dialect: "C" } });
const asked = {
  prompt: video.prompt,
  n: 1,
  image: undefined,
  frameImages: undefined,
  inputReferences: undefined,
  aspectRatio: "16:9",
  resolution: "1280x720",
  duration: 5,
  fps: undefined,
  seed: 7,
  generateAudio: undefined,
  providerOptions: { alibaba: { promptExtend: true } },
} as const;

test.each([
  ["wan3.0-video", "C"],
  ["wan2.7-t2v", "B"],
  ["wan2.6-t2v", "A"],
])("a video of %s is asked for as the SDK does", async (model, dialect) => {
  await using fake = await startDashscope(manualClock());
  const job = { ...video, model, parameters: { dialect }, seed: 7 };
  await expectSameRequest(fake, INTENDED.dashscope, {
    ours: () => adapterOf(fake).submit(job, never),
    sdk: () => modelOf(fake, model).start(asked),
  });
});

test("a first frame and a poll are sent as the SDK does", async () => {
  await using fake = await startDashscope(manualClock());
  const [adapter, sdk] = [adapterOf(fake), modelOf(fake, "wan3.0-video")];
  await expectSameRequest(fake, INTENDED.dashscope, {
    ours: () => adapter.submit({ ...video, imageUrls: [PICTURE], seed: 7 }, never),
    sdk: () => sdk.start({ ...asked, image: { type: "url", url: PICTURE } }),
  });
  const taskId = fake.jobs[0]?.id ?? "";
  await expectSameRequest(
    fake,
    {},
    {
      ours: () => adapter.poll(taskId, never),
      sdk: () => sdk.status({ operation: { taskId } }),
    },
  );
});
