/** What is said of a field that other APIs have under another name. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  OTHER_NAMES,
  unknownName,
} from "../../../../services/gateway/edge/validation/unknown-name.ts";

const { components } = JSON.parse(readFileSync("gen/openapi/media.json", "utf8")) as {
  components: { schemas: Record<string, { properties: object }> };
};
const fieldsOf = (kind: "Video" | "Image") =>
  Object.keys(components.schemas[`Create${kind}GenerationRequest`]?.properties ?? {});
const said = (name: string, kind: "Video" | "Image", value: unknown = "x") =>
  unknownName({ noun: "field", name, shown: name, known: fieldsOf(kind), value });
const creates = [fieldsOf("Video"), fieldsOf("Image")];

describe("a field of another API", () => {
  it.each([...OTHER_NAMES])(
    "%s: each name that is suggested is a field of a create that has not this one",
    (name, ours) => {
      for (const one of ours)
        expect(creates.some((known) => known.includes(one) && !known.includes(name))).toBe(true);
    },
  );

  it.each([
    ["Video", "seconds", '"duration"'],
    ["Video", "size", '"resolution" or "aspect_ratio"'],
    ["Video", "generateAudio", '"audio"'],
    ["Video", "image", '"image_url"'],
    ["Image", "image", '"image_urls"'],
    ["Image", "num_images", '"n"'],
    ["Image", "aspect_ratio", '"size"'],
    ["Image", "width", '"size"'],
    ["Video", "height", '"aspect_ratio"'],
    ["Video", "num_frames", '"duration"'],
    ["Video", "length", '"duration"'],
    ["Image", "model_id", '"model"'],
    ["Video", "quality", '"resolution"'],
  ] as const)("of a %s, %s, is suggested as %s", (kind, name, meant) => {
    expect(said(name, kind)).toBe(
      `Unknown field: ${name}. Did you mean ${meant}? Remove it or correct its name.`,
    );
  });

  it.each([
    ["num_images", "Video"],
    ["constructor", "Video"],
    ["quality", "Image"],
  ] as const)("is only refused where there is nothing like it: %s of a %s", (name, kind) => {
    expect(said(name, kind)).toMatch(/^Unknown field: \w+\. Remove it, or use one of model,/);
  });

  it("that has the fields within it is refused with their place", () => {
    const answer = "Unknown field: input. Send the fields that are in it at the top level.";
    expect(said("input", "Video", { prompt: "a cat" })).toBe(answer);
    expect(said("input", "Video", { colour: "red" })).toContain("use one of model,");
    expect(said("input", "Video", null)).toContain("use one of model,");
  });
});
