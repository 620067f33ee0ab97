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
  ] as const)("of a %s, %s, is suggested as %s", (kind, name, meant) => {
    expect(unknownName("field", name, name, fieldsOf(kind))).toBe(
      `Unknown field: ${name}. Did you mean ${meant}? Remove it or correct its name.`,
    );
  });

  it.each(["num_images", "constructor"])(
    "is only refused where there is nothing like %s",
    (name) => {
      expect(unknownName("field", name, name, fieldsOf("Video"))).toContain("use one of model,");
    },
  );
});
