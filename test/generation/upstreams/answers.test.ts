/** What upstreams of the file answer nothing, and what none of them can serve. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ImageInputSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { commonLackOf } from "../../../services/generation/domain/capabilities.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { jobWith, never } from "../providers/provider-under-test.ts";
import { fileOf, openedUpstreams } from "./upstreams-fixture.ts";

const job = jobWith({ kind: "video" });

describe("an upstream that answers nothing", () => {
  it("is silent from its third call on, until it answers one or nobody calls it", async () => {
    await using opened = await openedUpstreams(fileOf({ name: "r1" }, { name: "r2" }));
    const first = opened.first();
    const poll = (name: string) =>
      opened.configured
        .byName(name)
        ?.provider.poll("job", never)
        .catch(() => undefined);
    const isSilent = () => opened.isOn("UpstreamSilent");
    first.onPoll = () => Promise.reject(new Error("no answer"));
    for (const isOn of [false, false, true]) {
      await poll("r1");
      expect(await isSilent()).toBe(isOn);
    }
    // What was never sent, and a look-up that says nothing, are no answers either.
    await opened.configured.byName("r1")?.provider.find({ job, sentAt: new Date() }, never);
    expect(await isSilent()).toBe(true);
    first.onPoll = () => FINISHED;
    await poll("r1");
    expect(await isSilent()).toBe(false);
    first.onSubmit = () => ({ kind: "unknown" });
    for (let i = 0; i < 3; i++) await opened.configured.byName("r2")?.provider.submit(job, never);
    expect(await isSilent()).toBe(true);
    opened.clock.advance(120_000);
    expect(await isSilent()).toBe(false);
  });
});

describe("what every upstream of a model lacks", () => {
  it("is told with its field, and what one of them can serve is not lacking", async () => {
    const limited = { durations: [4, 6, 8], aspect_ratios: ["16:9"], max_pictures: 0 };
    await using opened = await openedUpstreams(
      fileOf({ name: "r1", capabilities: limited }, { name: "r2", priority: 2, disabled: true }),
    );
    const fieldOf = (fields: object, { configured } = opened) => {
      const asked = create(VideoInputSchema, { duration: 4, aspectRatio: "16:9", ...fields });
      return commonLackOf(configured.of("live", "m"), asked)?.field;
    };
    expect(fieldOf({})).toBeUndefined();
    expect(fieldOf({ duration: 5 })).toBe("duration");
    expect(fieldOf({ aspectRatio: "1:1" })).toBe("aspect_ratio");
    expect(fieldOf({ imageUrl: "https://pictures.test/a.png" })).toBe("image_url");
    const both = fileOf({ name: "r1", capabilities: limited }, { name: "r2" });
    await using other = await openedUpstreams(both);
    expect(fieldOf({ duration: 5 }, other)).toBeUndefined();
  });

  it("is told of images, too", async () => {
    const capabilities = { sizes: ["1024x1024"], max_pictures: 1 };
    await using opened = await openedUpstreams(fileOf({ name: "r1", capabilities }));
    const fieldOf = (fields: object) =>
      commonLackOf(opened.configured.of("live", "m"), create(ImageInputSchema, fields))?.field;
    expect(fieldOf({ size: "1024x1024", imageUrls: ["a"] })).toBeUndefined();
    expect(fieldOf({ size: "2048x2048" })).toBe("size");
    expect(fieldOf({ size: "1024x1024", imageUrls: ["a", "b"] })).toBe("image_urls");
  });
});
