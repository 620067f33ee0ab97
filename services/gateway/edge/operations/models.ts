/** Operations on the catalog, and what its models take in place of a wrong value. */
import type { CallOptions } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import type { Call } from "../http/request-state.ts";
import {
  type Model,
  Availability,
  type Pricing,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { components } from "#gen/openapi/media.ts";
import media from "#gen/openapi/media.json" with { type: "json" };
import { kindName, kindOf, namesOf, type KindName } from "#vocabulary/names.ts";
import { present } from "#vocabulary/public-generation.ts";
import {
  insteadOf,
  isOfOtherRoute,
  noSuchModel,
  whatModelTakes,
} from "#vocabulary/what-model-takes.ts";
import type { Deps } from "./deps.ts";
import { ownerOf, pathId, presentPage, type Operation, publicOf } from "./operation.ts";
import type { OpenApiDocument } from "../http/contract.ts";
import { KINDS } from "../http/authenticate.ts";
import { Problem } from "../http/problem.ts";
import { MAX_FAULTS, type ErrorCode, type Fault } from "../validation/checker.ts";
import { WHOLE_RANGE } from "../validation/message.ts";

/** Reads the catalog with the prices and availability that apply to the caller. */
export async function catalogFor({ deps, request }: Call<Deps>, options?: CallOptions) {
  return (await deps.generation.listModels(ownerOf(request), options)).models;
}

export const listModels: Operation = (call) =>
  call.deps.shareRead(call, async () => presentPage((await catalogFor(call)).map(presentModel)));

export const retrieveModel: Operation = async (call) =>
  presentModel(pathModel(call.request, await catalogFor(call)));

/** The one of `models` that the path names; 404 when none has that id. */
export function pathModel(request: FastifyRequest, models: readonly Model[]): Model {
  const wanted = pathId(request);
  const model = models.find(({ id }) => id === wanted);
  if (model) return model;
  const ids = models.map(({ id }) => id);
  const list = request.routeOptions.url?.replace(/\/:id$/, "");
  const message = `There is no such model.${insteadOf(wanted, ids)} GET ${list} lists them.`;
  throw new Problem("model_not_found", { type: "not_found_error", message });
}

/** Those of a value that has the field's type. */
const OF_VALUES: ReadonlySet<ErrorCode> = new Set(["invalid_value", "out_of_range"]);

/** Whether a model takes a field, by the property that says so. */
const TAKES = {
  inputs: ({ inputs }: Model) => inputs.includes("image"),
  durations: ({ durations }: Model) => durations !== undefined,
  aspect_ratios: ({ aspectRatios }: Model) => aspectRatios.length > 0,
  sizes: ({ sizes }: Model) => sizes.length > 0,
  parameters: ({ parameters }: Model, name: string) => name in parameters,
};
type Property = keyof typeof TAKES;

type CreateField = { name: string; property: Property | undefined };

/** With the property of a model that says whether it takes the field; undefined where every model does. */
const fieldsOfCreate = ({ properties }: { properties: Record<string, object> }) =>
  Object.entries(properties).map(([name, schema]): CreateField => {
    const { "x-model-property": property } = schema as { "x-model-property"?: Property };
    if (property === undefined || Object.hasOwn(TAKES, property)) return { name, property };
    throw new Error(`the document takes ${name} by ${String(property)}, which no model has`);
  });

const { CreateVideoGenerationRequest: video, CreateImageGenerationRequest: image } =
  media.components.schemas;
const CREATE_FIELDS = { video: fieldsOfCreate(video), image: fieldsOfCreate(image) };
const FIELDS = Object.values(CREATE_FIELDS).flat();

/** What the catalog says of the faults of a create: that its model is none or of the other route, or what it takes. */
export async function withModelValues(
  call: Call<Deps>,
  body: unknown,
  faults: Fault[],
  operationId = call.request.routeOptions.config.operationId ?? "",
) {
  const kind = KINDS[operationId];
  const isUnknown = ({ code }: Fault) => code === "unknown_field";
  const sent = (body ?? {}) as Record<string, unknown>;
  const { model: id } = sent;
  const isNamed = typeof id === "string" && !faults.some(({ param }) => param === "model");
  if (!kind || (!isNamed && !faults.some(isUnknown))) return faults;
  // The form alone is an answer too, which waits for no more than a second.
  const models = await catalogFor(call, { timeoutMs: 1_000 }).catch((): Model[] => []);
  const model = models.find((one) => one.id === id);
  const own = model ? CREATE_FIELDS[kindName(model.kind)] : [];
  // A field that both kinds have tells nothing: tools leave some out.
  const isOfOtherKind = ({ param }: Fault) =>
    own.some(({ name }) => name === param) &&
    FIELDS.filter(({ name }) => name === param).length === 1;
  if (model && faults.some((fault) => isUnknown(fault) && isOfOtherKind(fault))) {
    const message = isOfOtherRoute(model);
    const mismatch = { code: "model_kind_mismatch", param: "model", message } as const;
    return [mismatch, ...faults.filter((fault) => !isUnknown(fault))];
  }
  const names = untaken(FIELDS, (model ? [model] : models).flatMap(fieldsOf));
  const says = (name: string) =>
    model ? `${model.id} does not take ${name}.` : `no model takes ${name} now.`;
  const absent = isNamed && !model ? absentModel(id, models, kind) : [];
  return [...absent, ...faults].slice(0, MAX_FAULTS).map((fault) => {
    if (fault.messageWithout) return { ...fault, message: fault.messageWithout({ names, says }) };
    const { param = "", code } = fault;
    const message =
      model && isOfModel(fault, own) && whatModelTakes(model, param, sent[param], () => models);
    if (!message) return fault;
    const range = message.replace(`${param}: `, "");
    if (code === "invalid_type")
      return { ...fault, message: fault.message.replace(WHOLE_RANGE, range) };
    // A size of another API has another form.
    return { ...fault, code: param === "size" ? "unsupported_size" : code, message };
  });
}

/** None where the catalog could not be read. */
function absentModel(id: string, models: readonly Model[], kind: KindName): Fault[] {
  const message = noSuchModel(id, models, kindOf(kind));
  return models.length === 0 ? [] : [{ code: "model_not_found", param: "model", message }];
}

function isOfModel({ code, param, message }: Fault, fields: readonly CreateField[]): boolean {
  const field = fields.find(({ name }) => name === param);
  return field?.property !== undefined && (OF_VALUES.has(code) || WHOLE_RANGE.test(message));
}

type Schemas = components["schemas"];
type PublicModel = Schemas["Model"];

const { requiredNameOf: availabilityName } = namesOf(Availability);

export function presentModel(model: Model): PublicModel {
  const { aspectRatios, durations, pricing, ...rest } = model;
  const kind = kindName(model.kind);
  const availability = availabilityName(model.availability);
  return {
    ...publicOf(rest),
    object: "model",
    kind,
    inputs: model.inputs as PublicModel["inputs"],
    required_inputs: model.requiredInputs as PublicModel["inputs"],
    ...(availability === "available"
      ? { availability }
      : { availability: "unavailable", unavailable_reason: availability }),
    ...present("durations", durations && publicOf(durations)),
    ...present("aspect_ratios", kind === "video" ? aspectRatios : undefined),
    fields: fieldsOf(model),
    parameters: Object.fromEntries(
      Object.entries(model.parameters).map(([name, { values, max }]) => [
        name,
        { ...(values.length === 0 ? {} : { values }), ...present("max", max) },
      ]),
    ),
    pricing: pricing ? presentPricing(pricing) : null,
  };
}

function presentPricing({ tiers, surcharges, ...rest }: Pricing): Schemas["Pricing"] {
  return {
    ...publicOf(rest),
    currency: "token",
    unit: rest.unit as Schemas["Pricing"]["unit"],
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(publicOf) }),
    ...(surcharges.length === 0 ? {} : { surcharges: surcharges.map(publicOf) }),
  };
}

/** The fields that none of the models takes; none where no model is known. */
function untaken(all: readonly CreateField[], taken: readonly string[]): ReadonlySet<string> {
  const names = taken.length === 0 ? [] : all.map(({ name }) => name);
  return new Set(names.filter((name) => !taken.includes(name)));
}

/** What a create takes, and the generation repeats. */
const WITH_FIELDS = [
  ["video", "CreateVideoGenerationRequest"],
  ["video", "VideoInput"],
  ["image", "CreateImageGenerationRequest"],
  ["image", "ImageInput"],
] as const;

/** The document without the fields of creates that none of the models takes. */
export function withTaken(
  document: OpenApiDocument,
  models: readonly Pick<PublicModel, "kind" | "fields">[],
): OpenApiDocument {
  const { schemas } = document.components;
  const taken = WITH_FIELDS.map(([kind, name]) => {
    const own = models.flatMap((model) => (model.kind === kind && model.fields) || []);
    const names = untaken(CREATE_FIELDS[kind], own);
    const { properties, ...rest } = schemas[name] as { properties: object };
    const kept = Object.entries(properties).filter(([field]) => !names.has(field));
    return [name, { ...rest, properties: Object.fromEntries(kept) }];
  });
  const shown = { ...schemas, ...Object.fromEntries(taken) };
  return { ...document, components: { ...document.components, schemas: shown } };
}

function fieldsOf(model: Model): string[] {
  return CREATE_FIELDS[kindName(model.kind)]
    .filter(({ name, property }) => property === undefined || TAKES[property](model, name))
    .map(({ name }) => name);
}
