/** The JSON schemas of what the simulated provider accepts. */

const text = { type: "string" };

export const newJobSchema = {
  type: "object",
  required: ["client_token", "kind", "model", "prompt", "width", "height"],
  properties: {
    client_token: { type: "string", minLength: 1, maxLength: 256 },
    kind: { enum: ["video", "image"] },
    model: text,
    prompt: text,
    negative_prompt: text,
    width: { type: "integer", minimum: 16, maximum: 4096 },
    height: { type: "integer", minimum: 16, maximum: 4096 },
    duration_seconds: { type: "integer", minimum: 0, maximum: 60 },
    seed: { type: "integer", minimum: 0, maximum: 2147483647 },
    image_count_refs: { type: "integer", minimum: 0 },
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

export const jobListSchema = {
  type: "object",
  required: ["client_token"],
  properties: { client_token: text },
};

export const fileQuerySchema = {
  type: "object",
  properties: { expires: text, signature: text },
};
