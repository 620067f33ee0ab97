/** When a retry has the same content as the request that first used its key. */
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ImageInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { inputToJson } from "../../../services/generation/domain/generation.ts";
import { withDefaults } from "../../../services/generation/domain/plan.ts";
import { differingField } from "../../../services/generation/domain/same-request.ts";

it.each([
  [-0, undefined],
  [1, "seed"],
])("a retry with seed %d of a request with 0 differs in %s", (seed, field) => {
  const inputOf = (one: number) => create(ImageInputSchema, { prompt: "a cat", seed: one });
  const { input, defaulted } = withDefaults(undefined, inputOf(0));
  const row = { model: "m", input: inputToJson(input), defaulted };
  expect(differingField(row, "m", undefined, inputOf(seed))).toBe(field);
});
