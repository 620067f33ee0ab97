/** The optional fields of creates that only some models take and only some upstreams carry. */
import {
  type ImageInput,
  type VideoInput,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { KindName } from "#vocabulary/names.ts";

/** What is taken of a field. No values: all that the field's own rules allow. */
export type Taken = { readonly values?: readonly string[]; readonly max?: number | undefined };

/** By the public names of the fields; one that is absent is not taken. */
export type TakenFields = Readonly<Partial<Record<string, Taken>>>;

/** What a request asks of a field: its value, or the roles of its entries, as text, and how much of it. */
type Asked = { values: readonly string[]; amount: number };

type Read<Input> = (input: Input) => Asked | undefined;

/** Undefined where the request asks for nothing, or for what every model does. */
const VIDEO: Readonly<Record<string, Read<VideoInput>>> = {
  seed: ({ seed }) => asked(seed),
  resolution: ({ resolution }) => asked(resolution),
  audio: ({ audio }) => asked(audio),
  last_image_url: ({ lastImageUrl }) => asked(lastImageUrl),
  reference_images: ({ referenceImages: images }) =>
    images.length === 0
      ? undefined
      : { values: images.map(({ role }) => role), amount: images.length },
  video_url: ({ videoUrl }) => asked(videoUrl),
};
const IMAGE: Readonly<Record<string, Read<ImageInput>>> = {
  // That the prompt may be rewritten is nothing that an upstream has to do.
  prompt_extend: ({ promptExtend }) => (promptExtend === false ? asked(promptExtend) : undefined),
  seed: ({ seed }) => asked(seed),
  n: ({ n = 1 }) => (n > 1 ? { values: [], amount: n } : undefined),
  mask_url: ({ maskUrl }) => asked(maskUrl),
  background: ({ background }) => asked(background),
  output_format: ({ outputFormat }) => asked(outputFormat),
};

/** The fields of each kind that a model may declare. */
export const PARAMETERS: Readonly<Record<KindName, readonly string[]>> = {
  video: Object.keys(VIDEO),
  image: Object.keys(IMAGE),
};

/** All fields with all their values. */
export function everything(kind: KindName): TakenFields {
  return Object.fromEntries(PARAMETERS[kind].map((field) => [field, {}]));
}

/** Whether the request asks for the field, with that value if one is given. */
export function asksFor(input: VideoInput | ImageInput, field: string, value?: string): boolean {
  const found = askedOf(input).find((one) => one.field === field);
  return found !== undefined && (value === undefined || found.values.includes(value));
}

/** A field that the request asks for and that is not taken; `allowed` says what is taken of it, if anything is. */
export type NotTaken = { field: string; value?: string; allowed?: readonly string[] };

export function notTaken(fields: TakenFields, input: VideoInput | ImageInput): NotTaken[] {
  return askedOf(input).flatMap(({ field, values, amount }): NotTaken[] => {
    const taken = fields[field];
    if (!taken) return [{ field }];
    const { values: offered = [], max = Infinity } = taken;
    const value = values.find((one) => !offered.includes(one));
    if (offered.length > 0 && value !== undefined) return [{ field, value, allowed: offered }];
    return amount > max ? [{ field, allowed: [`1 to ${max}`] }] : [];
  });
}

function askedOf(input: VideoInput | ImageInput): (Asked & { field: string })[] {
  return input.$typeName === VideoInputSchema.typeName ? read(VIDEO, input) : read(IMAGE, input);
}

function read<Input>(readers: Readonly<Record<string, Read<Input>>>, input: Input) {
  return Object.entries(readers).flatMap(([field, reader]) => {
    const found = reader(input);
    return found ? [{ field, ...found }] : [];
  });
}

function asked(value: string | number | boolean | undefined): Asked | undefined {
  return value === undefined ? undefined : { values: [String(value)], amount: 1 };
}
