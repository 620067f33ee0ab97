/** The JSON schemas of what the simulator accepts. */

const text = { type: "string" };

export const newJobSchema = {
  type: "object",
  required: ["client_token", "submitted_at_ms", "kind", "model", "prompt", "width", "height"],
  properties: {
    client_token: { type: "string", minLength: 1, maxLength: 256 },
    submitted_at_ms: { type: "integer", minimum: 0, maximum: 8_640_000_000_000_000 },
    kind: { enum: ["video", "image"] },
    model: text,
    prompt: text,
    negative_prompt: text,
    width: { type: "integer", minimum: 16, maximum: 4096 },
    height: { type: "integer", minimum: 16, maximum: 4096 },
    duration_seconds: { type: "integer", minimum: 0, maximum: 60 },
    seed: { type: "integer", minimum: 0, maximum: 2147483647 },
    count: { type: "integer", minimum: 1, maximum: 4 },
    background: { enum: ["opaque", "transparent"] },
    output_format: { enum: ["png", "jpeg", "webp"] },
  },
  anyOf: [
    { properties: { kind: { const: "image" } } },
    // H.264 in 4:2:0 has no odd sizes.
    {
      required: ["duration_seconds"],
      properties: {
        width: { multipleOf: 2 },
        height: { multipleOf: 2 },
        duration_seconds: { minimum: 1 },
      },
    },
  ],
};
