/** The catalog of models, read from its data file, and the rules that its proto types cannot express. */
import { fromJsonString } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  CatalogSchema,
  type Catalog as CatalogFile,
  type Deadlines,
} from "#gen/proto/media/generation/v1/catalog_pb.ts";
import { Availability, Kind, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { asSetting } from "#runtime/env.ts";
import { processingDeadline, queueDeadline, type Due } from "../domain/waits.ts";
import { parseSize, type Frames } from "../domain/job.ts";
import { PARAMETERS } from "../domain/parameters.ts";
import { isOffered } from "../domain/plan.ts";

export const defaultCatalogPath = fileURLToPath(new URL("./models.json", import.meta.url));

export type Catalog = ReturnType<typeof openCatalog>;

/** Reads the file, once; throws if it is wrong. */
export function openCatalog(path: string) {
  const { models, deadlines, resolutions } = asSetting("CATALOG_FILE", () => read(path));
  const byId = new Map(models.map((model) => [model.id, model]));
  const frames: Frames = {
    find: (id) => byId.get(id),
    frame: (model, aspectRatio, resolution = model.resolution ?? "") =>
      parseSize(resolutions[resolution]?.frames[aspectRatio] ?? "0x0"),
  };
  return {
    ...frames,
    models: (): readonly Model[] => models,
    queueDeadline: (row: Due) => queueDeadline(row, deadlines[row.model]),
    processingDeadline: (row: Due, acceptedAt: Date) =>
      processingDeadline(row, deadlines[row.model], acceptedAt),
  };
}

function read(path: string): CatalogFile {
  const text = readFileSync(path, "utf8");
  try {
    const file = fromJsonString(CatalogSchema, text);
    const faults = catalogFaults(file);
    if (faults.length > 0) throw new Error(faults.join("; "));
    return file;
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

const SIZE = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/;
const INPUTS = new Set(["text", "image", "video"]);

/** Every fault of `catalog`, for the operator. */
function catalogFaults(catalog: CatalogFile): string[] {
  const ids = catalog.models.map((model) => model.id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  const sizes = Object.values(catalog.resolutions).flatMap(({ frames }) => Object.values(frames));
  return [
    ...repeated.map((id) => `model ${id} is listed twice`),
    ...Object.entries(catalog.deadlines).flatMap(([id, deadlines]) => [
      ...(ids.includes(id) ? [] : [`deadlines name the unknown model ${id}`]),
      ...deadlineFaults(deadlines).map((fault) => `deadlines of ${id}: ${fault}`),
    ]),
    ...sizes
      .filter((size) => !SIZE.test(size))
      .map((size) => `frame size ${size} is not WIDTHxHEIGHT`),
    ...catalog.models.flatMap((model) =>
      modelFaults(model, catalog).map((fault) => `model ${model.id || "(no id)"}: ${fault}`),
    ),
  ];
}

function deadlineFaults({ processingSeconds, queueSeconds }: Deadlines): string[] {
  const seconds = { processing_seconds: processingSeconds, queue_seconds: queueSeconds };
  return Object.entries(seconds).flatMap(([name, value]) =>
    value === undefined || value >= 1 ? [] : [`${name} must be 1 or more`],
  );
}

/** What every model must meet, and what is not met. */
type Must = (isMet: boolean, fault: string) => void;

function modelFaults(model: Model, catalog: CatalogFile): string[] {
  const faults: string[] = [];
  const must: Must = (isMet, fault) => {
    if (!isMet) faults.push(fault);
  };
  const { id, inputs, requiredInputs, availability, parameters, pricing, kind } = model;
  must(/^[a-z0-9][a-z0-9.-]{0,99}$/.test(id), "the id must be lowercase letters, digits, . and -");
  const areKnown = inputs.every((input) => INPUTS.has(input));
  must(areKnown, "inputs must be text, image or video");
  const areTaken = requiredInputs.every((input) => inputs.includes(input));
  must(areTaken, "required_inputs must be among inputs");
  must(
    availability === Availability.AVAILABLE || availability === Availability.DISABLED,
    "availability must be AVAILABILITY_AVAILABLE or AVAILABILITY_DISABLED",
  );
  must((pricing?.tokens ?? 0n) >= 0n, "a price cannot be negative");
  must(!pricing || pricing.unitQuantity >= 1, "unit_quantity must be 1 or more");
  const known = PARAMETERS[kind === Kind.IMAGE ? "image" : "video"];
  for (const name of Object.keys(parameters)) {
    must(known.includes(name), `parameters are ${known.join(", ")}, not ${name}`);
  }
  const { max = 0 } = parameters["n"] ?? { max: 1 };
  must(max >= 1 && max <= 4, "the parameter n needs a max of 1 to 4");
  const takesVideo = inputs.includes("video");
  must(takesVideo === "video_url" in parameters, "the input video is the parameter video_url");
  for (const { parameter, tokens } of pricing?.surcharges ?? []) {
    must(parameter in parameters, `a surcharge names ${parameter}, no parameter of the model`);
    must(tokens >= 0n, "a price cannot be negative");
  }
  must(kind === Kind.VIDEO || kind === Kind.IMAGE, "kind must be KIND_VIDEO or KIND_IMAGE");
  if (kind === Kind.VIDEO) checkVideoModel(model, catalog, must);
  if (kind === Kind.IMAGE) checkImageModel(model, must);
  return faults;
}

function checkVideoModel(model: Model, catalog: CatalogFile, must: Must): void {
  const { aspectRatios, defaultAspectRatio = "", durations, pricing, resolution } = model;
  const offered = model.parameters["resolution"]?.values;
  must(!pricing || pricing.unit === "second", "the price of a video must be by second");
  for (const one of new Set([resolution ?? "?", ...(offered ?? [])])) {
    const frames = catalog.resolutions[one]?.frames ?? {};
    for (const ratio of aspectRatios) must(ratio in frames, `no frame size for ${ratio} at ${one}`);
  }
  must(
    !offered || offered.includes(resolution ?? ""),
    "resolution must be among the values of the parameter resolution",
  );
  const isAmong = aspectRatios.includes(defaultAspectRatio);
  must(isAmong, "default_aspect_ratio must be among aspect_ratios");
  const isDefaultOffered = durations !== undefined && isOffered(durations.default, durations);
  must(isDefaultOffered, "durations.default must be one of the offered durations");
}

function checkImageModel({ pricing, sizes, defaultSize = "" }: Model, must: Must): void {
  must(!pricing || pricing.unit === "image", "the price of an image must be by image");
  must(sizes.includes(defaultSize), "default_size must be among sizes");
  for (const size of sizes) {
    must(SIZE.test(size), `${size} is not WIDTHxHEIGHT`);
    const tiers = pricing?.tiers.filter((tier) => tier.sizes.includes(size)) ?? [];
    must(!pricing || tiers.length === 1, `size ${size} needs exactly one tier`);
  }
}
