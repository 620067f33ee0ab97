/** The dialect's operations that make images, and the bytes of those. */
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { components } from "#gen/openapi/openai.ts";
import type { PublicImage } from "#vocabulary/public-generation.ts";
import { createImageGeneration, withGenerationId } from "../operations/create.ts";
import { required } from "../operations/operation.ts";
import { Problem } from "../http/problem.ts";
import type { Call } from "../http/request-state.ts";
import type { StoredFiles } from "../http/stored-files.ts";
import { withPictures, type Picture, endUserOf } from "./pictures.ts";
import { unixSeconds, type DialectDeps, type DialectOperation } from "./videos.ts";

type Schemas = components["schemas"];
type Answer = Schemas["OpenaiImages"];
type Form = Omit<Schemas["OpenaiEditImageForm"], "image" | "n"> & {
  image: Uint8Array[];
  n?: string;
};
type Fields = Omit<Schemas["OpenaiCreateImageRequest"], "stream">;
type Bytes = AsyncIterable<Uint8Array>;

export const openaiCreateImage: DialectOperation = async (call) =>
  makeImage(call, call.request.body as Fields, []);

export const openaiEditImage: DialectOperation = async (call) => {
  // What goes on while the image is made has no bytes of the pictures.
  const { n, image, ...fields } = call.request.body as Form;
  const pictures = image.map((file): Picture => ({ param: "image", file }));
  const sent = n === undefined ? fields : { ...fields, n: Number(n) };
  return withPictures(call, pictures, (urls) => makeImage(call, sent, urls));
};

async function makeImage(
  call: Call<DialectDeps>,
  fields: Fields,
  urls: string[],
): Promise<Answer | Readable> {
  const { deps, request, reply } = call;
  const { model, prompt, size, n, background, output_format: asked } = fields;
  const { response_format: format } = fields;
  request.body = {
    model,
    prompt,
    ...(urls.length === 0 ? {} : { image_urls: urls }),
    ...(size && size !== "auto" ? { size } : {}),
    ...(n ? { n } : {}),
    ...(background && background !== "auto" ? { background } : {}),
    ...(asked ? { output_format: asked } : {}),
    ...endUserOf(fields),
  };
  const image = (await createImageGeneration(call)) as PublicImage;
  // A client of this dialect has no such path.
  void reply.removeHeader("Location");
  const [file] = image.output;
  const { content_type: type, width, height } = required(file);
  const answer: Answer = {
    created: unixSeconds(image.created_at),
    data: image.output.map(({ url }) => ({ url })),
    size: `${width}x${height}`,
    output_format: type.replace("image/", "") as NonNullable<Answer["output_format"]>,
  };
  if (format === "url") return answer;
  const open = (url: string) => openImage(deps.files, url.slice(deps.assetBaseUrl().length));
  // The first is opened before the answer begins, so that one that is gone is an error of its own.
  const first = await open(required(file).url).catch((error: unknown) => {
    throw withGenerationId(request, error);
  });
  void reply.type("application/json; charset=utf-8");
  return Readable.from(withBase64(answer, first, open));
}

/** One that is not there, and was not deleted, is a fault of ours. */
async function openImage(files: StoredFiles, path: string): Promise<Bytes> {
  try {
    return (await files.read(path)).body;
  } catch (error) {
    const isGone = error instanceof Problem && error.code === "gone";
    throw isGone
      ? new Problem("gone", { message: error.message })
      : new Problem("unavailable", { cause: error });
  }
}

/** The text of the answer with the bytes of each image as `b64_json` in place of its URL. */
async function* withBase64(
  { data, ...rest }: Answer,
  first: Bytes,
  open: (url: string) => Promise<Bytes>,
): AsyncGenerator<string> {
  yield `{"data":[`;
  for (const [index, { url = "" }] of data.entries()) {
    yield index === 0 ? `{"b64_json":"` : `,{"b64_json":"`;
    yield* base64Of(index === 0 ? first : await open(url));
    yield `"}`;
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

async function* base64Of(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new StringDecoder("base64");
  for await (const chunk of bytes) yield decoder.write(chunk as Buffer);
  yield decoder.end();
}
