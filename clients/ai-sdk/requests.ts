/** What the requests of both kinds are made of: the model's limits, the caller's own fields, pictures and warnings. */
import {
  UnsupportedFunctionalityError,
  type SharedV4ProviderOptions,
  type SharedV4Warning,
} from "@ai-sdk/provider";
import type { CallOptions, Model, Picture } from "../typescript/index.ts";
import { asApiCall, type Service } from "./calls.ts";

/** The name of this provider's options in `providerOptions`, and of its part in `providerMetadata`. */
export const OPTIONS_NAME = "mediaGeneration";

/** The model as it is now, where one of the hints is given: only then is it needed. */
export async function modelFor(
  { client, urlOf }: Service,
  modelId: string,
  hints: readonly unknown[],
  options: CallOptions,
): Promise<Model | undefined> {
  if (hints.every((hint) => hint === undefined)) return undefined;
  const retrieved = client.models.retrieve(modelId, options);
  return asApiCall(urlOf(`/models/${modelId}`), undefined, retrieved);
}

/**
 * The fields of a request, and warnings of the options that are left out. Only what shapes the result is: a picture is
 * always sent, so that the service refuses the create, without a charge, where the model cannot use it.
 */
export class RequestFields {
  readonly fields: { model: string; prompt: string; [field: string]: unknown };
  readonly warnings: SharedV4Warning[] = [];

  /** The caller's own fields win. */
  constructor(model: string, prompt: string | undefined, providerOptions: SharedV4ProviderOptions) {
    this.fields = { ...providerOptions[OPTIONS_NAME] } as typeof this.fields;
    this.set("model", model);
    this.set("prompt", prompt);
    this.fields.prompt ??= "";
  }

  /** Warns of the AI SDK's option, `feature`, where the caller's own field says another value. */
  set(field: string, value: unknown, feature = field): void {
    if (value === undefined) return;
    if (!(field in this.fields)) this.fields[field] = value;
    else if (this.fields[field] !== value)
      this.leave(feature, `providerOptions.${OPTIONS_NAME}.${field} is given too, and decides.`);
  }

  /** Sets a field that is given, if the model takes it. */
  parameter(feature: string, field: string, value: unknown, model: Model | undefined): void {
    if (value === undefined) return;
    if (model?.parameters[field]) this.set(field, value, feature);
    else this.leave(feature, "The model does not take it.");
  }

  /** Warns of an option that is left out. */
  leave(feature: string, details: string): void {
    this.warnings.push({ type: "unsupported", feature, details });
  }
}

/** Throws what the AI SDK has for it: another shape than was asked for would be made, and charged. */
export function refuse(
  model: string,
  option: string,
  value: string,
  makes: readonly string[],
): never {
  throw new UnsupportedFunctionalityError({
    functionality: `${option} ${value}`,
    message: `${model} makes no ${option} ${value}. It makes ${makes.join(", ")}. Nothing is charged.`,
  });
}

type File = { type: "url"; url: string } | { type: "file"; data: string | Uint8Array };

/** A URL as it is, and bytes to be sent first. */
export function pictureOf(file: File): string | Picture {
  if (file.type === "url") return file.url;
  if (typeof file.data !== "string") return file.data;
  return Uint8Array.from(atob(file.data), (character) => character.charCodeAt(0));
}

/** Of `candidates`, which are `<width><separator><height>`, the one with this shape; rounding to whole pixels is allowed for. */
export function withSameShape(candidates: readonly string[], shape: string): string | undefined {
  return candidates.find((each) => Math.abs(Math.log(ratioOf(each) / ratioOf(shape))) < 0.02);
}

/** The shapes of sizes: that of `1280x720` is `16:9`. */
export function ratiosOf(sizes: readonly string[]): string[] {
  const divisor = (a: number, b: number): number => (b > 0 ? divisor(b, a % b) : a);
  const shapes = sizes
    .filter((size) => /^\d+x\d+$/.test(size))
    .map((size) => {
      const [width = 1, height = 1] = size.split("x").map(Number);
      const common = divisor(width, height);
      return `${width / common}:${height / common}`;
    });
  return [...new Set(shapes)];
}

function ratioOf(shape: string): number {
  const [width = Number.NaN, height = Number.NaN] = shape.split(/[x:]/).map(Number);
  return width / height;
}
