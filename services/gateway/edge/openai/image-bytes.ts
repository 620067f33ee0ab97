/** The bytes of stored images within a JSON answer, which is sent while they are read. */
import type { components } from "#gen/openapi/openai.ts";

type Answer = components["schemas"]["OpenaiImages"];
type Bytes = AsyncIterable<Uint8Array>;

/** Base64 writes three bytes as four characters, so that whole triples can be written one after another. */
const TRIPLE = 3;

/** The text of the answer with the bytes of each image as `b64_json` in place of its URL. */
export async function* withBase64(
  answer: Answer,
  images: readonly (() => Promise<Bytes>)[],
): AsyncGenerator<string> {
  const { data: _, ...rest } = answer;
  yield `{"data":[`;
  for (const [index, open] of images.entries()) {
    yield index === 0 ? `{"b64_json":"` : `,{"b64_json":"`;
    yield* base64Of(await open());
    yield `"}`;
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

async function* base64Of(bytes: Bytes): AsyncGenerator<string> {
  let left = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all = Buffer.concat([left, chunk]);
    const whole = all.length - (all.length % TRIPLE);
    yield all.toString("base64", 0, whole);
    left = all.subarray(whole);
  }
  yield left.toString("base64");
}
