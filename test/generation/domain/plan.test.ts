/** Which model is named to whoever sends a picture to one that takes text only. */
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  Availability,
  ImageInputSchema,
  Kind,
  type Model,
  ModelSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { planGeneration } from "../../../services/generation/domain/plan.ts";

const modelOf = (
  id: string,
  kind: Kind,
  more: { inputs?: string[]; availability?: Availability } = {},
) =>
  create(ModelSchema, {
    id,
    kind,
    availability: Availability.AVAILABLE,
    inputs: ["text", "image"],
    sizes: ["1x1"],
    aspectRatios: ["1:1"],
    defaultSize: "1x1",
    defaultAspectRatio: "1:1",
    pricing: { tokens: 1n, unitQuantity: 1 },
    ...more,
  });

const URL = "https://e.com/a.png";
const VIDEO = create(VideoInputSchema, { prompt: "p", imageUrl: URL });
const IMAGE = create(ImageInputSchema, { prompt: "p", imageUrls: [URL] });

function messageOf(kind: Kind, input: typeof VIDEO | typeof IMAGE, others: Model[]) {
  const textOnly = modelOf("b-1-text", kind, { inputs: ["text"] });
  const planned = planGeneration(textOnly.id, textOnly, input, () => [textOnly, ...others]);
  return planned.kind === "refused" ? planned.faults[0].message : undefined;
}

it("is one of the kind that can be used, with the nearest name", () => {
  const others = [
    modelOf("a-1-image", Kind.VIDEO),
    modelOf("b-1-image", Kind.VIDEO),
    modelOf("b-1-tex", Kind.VIDEO, { availability: Availability.NO_ROUTE }),
    modelOf("b-2-text", Kind.IMAGE),
  ];
  expect(messageOf(Kind.VIDEO, VIDEO, others)).toBe(
    "b-1-text takes text only. Leave image_url out or choose one that takes images, such as b-1-image.",
  );
  expect(messageOf(Kind.IMAGE, IMAGE, others)).toBe(
    "b-1-text takes text only. Leave image_urls out or choose one that takes images, such as b-2-text.",
  );
});

it("is none where there is none", () => {
  expect(messageOf(Kind.VIDEO, VIDEO, [])).toBe("b-1-text takes text only. Leave image_url out.");
});
