/** Text and times that Postgres would refuse or change, wherever a message has them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GenerationSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { unstorableValues } from "#runtime/text-rules.ts";

it("names each field, element and entry that cannot be stored, and no id", () => {
  const video = {
    prompt: "a\0",
    metadata: { "\0": "a", b: "\ud800", c: "c" },
    referenceImages: [{ url: "https://a.example" }, { url: "\udc00" }],
  };
  const message = create(GenerationSchema, {
    id: "\0",
    model: "\0",
    input: { case: "video", value: video },
    createdAt: { seconds: 253_402_300_800n },
    completedAt: timestampFromDate(new Date("0001-01-01T00:00:00Z")),
  });
  const found = unstorableValues(GenerationSchema, message).map(({ field }) => field);
  expect(found.toSorted()).toEqual(
    [
      "created_at",
      'video.metadata["\\u0000"]',
      'video.metadata["b"]',
      "video.prompt",
      "video.reference_images[1].url",
      "model",
    ].toSorted(),
  );
});
