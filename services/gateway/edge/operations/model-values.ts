/** Says of a wrong value that models choose what the model of the request takes, instead of the form alone. */
import type { FastifyRequest } from "fastify";
import { CREATE_FIELDS, type CreateField } from "#gen/openapi/create-fields.ts";
import { Kind, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { whatModelTakes } from "#vocabulary/what-model-takes.ts";
import type { ErrorCode } from "../validation/error-codes.ts";
import type { Fault } from "../validation/checker.ts";
import type { Deps } from "./deps.ts";
import { catalogFor } from "./models.ts";

/** Those of a value that has the field's type. */
const OF_VALUES: ReadonlySet<ErrorCode> = new Set(["invalid_value", "out_of_range"]);

const FIELDS = Object.values(CREATE_FIELDS).flat();

/** The faults of a body, as they are where its model is not known. */
export async function withModelValues(
  deps: Deps,
  request: FastifyRequest,
  body: unknown,
  faults: Fault[],
): Promise<Fault[]> {
  const wanted = (body as { model?: unknown } | null)?.model;
  if (typeof wanted !== "string" || !faults.some((fault) => isOfModel(fault, FIELDS)))
    return faults;
  // The form alone is an answer too.
  const models = await catalogFor(deps, request).catch((): Model[] => []);
  const model = models.find(({ id }) => id === wanted);
  if (!model) return faults;
  const fields = CREATE_FIELDS[model.kind === Kind.VIDEO ? "video" : "image"];
  return faults.map((fault) => {
    const message = isOfModel(fault, fields) && whatModelTakes(model, fault.param ?? "");
    return message ? { ...fault, message } : fault;
  });
}

function isOfModel({ code, param }: Fault, fields: readonly CreateField[]): boolean {
  const field = fields.find(({ name }) => name === param);
  return field?.property !== undefined && OF_VALUES.has(code);
}
