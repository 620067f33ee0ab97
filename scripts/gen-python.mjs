/**
 * The modules of the Python client that `npm run gen` makes from openapi/media.yaml and the catalog: its types and the
 * classes of its errors.
 */

const MADE_BY = "Made by `npm run gen` from openapi/media.yaml";

/** Schemas that have a shorter name in clients, the same in every language; two of one name are the same. */
const NAMES = {
  VideoGeneration: "Video",
  ImageGeneration: "Image",
  WebhookDelivery: "Delivery",
  VideoGenerationStatus: "GenerationStatus",
  ImageGenerationStatus: "GenerationStatus",
  CreateVideoGenerationRequest: "VideoRequest",
  CreateImageGenerationRequest: "ImageRequest",
};

/** What every list takes; the other filters of lists have it too. */
const PAGE = "PageFilter";

/** The names of the queries of operations that have one, with the options of the call. Two of one name are the same. */
const FILTERS = {
  listFiles: PAGE,
  listVideoGenerations: "GenerationFilter",
  listImageGenerations: "GenerationFilter",
  listTransactions: "TransactionFilter",
  retrieveUsage: "UsageFilter",
  listWebhookDeliveries: "DeliveryFilter",
  listRequests: "RequestFilter",
};

/** Objects that are a union by their status. */
const UNIONS = ["Video", "Image"];

/** What a create takes in place of a picture's URL: also what has one. */
const PICTURE = "str | Picture | StoredFile | ImageOutput";

/** Names that Python keeps for itself. */
const KEYWORDS = new Set(["from", "import", "class", "global", "in", "is", "not", "pass", "async"]);

const SCALARS = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  object: "dict[str, object]",
};

/** The module of types: what calls take and answer. */
export function pythonTypes(document, models) {
  const { schemas } = document.components;
  // Pages are a generic class of the client, errors are exceptions.
  const shown = Object.entries(schemas).filter(
    ([name]) => !/List$|^Error(?:Response)?$/.test(name),
  );
  const names = new Set();
  const aliases = [];
  const classes = [];
  const events = [];
  const add = (name, schema) => {
    if (names.has(name)) return;
    names.add(name);
    if (UNIONS.includes(name)) addUnion(name, fieldsOf(name, schema));
    else if (/^[A-Za-z]+Event$/.test(name)) addEvent(name, fieldsOf(name, schema));
    else if (schema.properties) classes.push(classOf(name, fieldsOf(name, schema)));
    else if (!isPlainText(schema))
      aliases.push(`${name}: TypeAlias = ${typeOf(schema, name)}\n${docs(schema, "")}`);
  };
  /** A generation is one of several classes, by its status: one that failed has an error. */
  const addUnion = (name, fields) => {
    const byName = (wanted) => fields.find((field) => field.name === wanted);
    const common = fields.filter((field) => field.name !== "status" && field.name !== "error");
    const status = (...values) => ({
      ...byName("status"),
      type: `Literal[${values.map(literal).join(", ")}]`,
    });
    classes.push(classOf(`_${name}Fields`, common));
    const of = (end, ...own) => classes.push(classOf(`${name}${end}`, own, `_${name}Fields`));
    of("Succeeded", status("success"));
    of("Failed", status("failed"), { ...byName("error"), isRequired: true });
    of("Unfinished", status("pending", "processing"));
    of("Canceled", status("canceled"));
    const ends = ["Succeeded", "Failed", "Unfinished", "Canceled"].map((end) => `${name}${end}`);
    classes.push(`${name}: TypeAlias = ${ends.join(" | ")}\n`);
  };
  /** An event is one of its type and of what that is about. */
  const addEvent = (name, fields) => {
    const [type, data] = ["type", "data"].map(
      (own) => fields.find((field) => field.name === own).type,
    );
    events.push(`${name}: TypeAlias = Event[${type}, ${data}]`);
  };
  /** The fields of an object, of a create those that a model takes; objects within it get a class each. */
  const fieldsOf = (owner, { properties, required = [] }) =>
    Object.entries(properties)
      .filter(([name, property]) => isTaken(name, property))
      .map(([name, property]) => ({
        name,
        type: fieldType(owner, name, property),
        isRequired: required.includes(name),
        schema: property,
      }));
  const isTaken = (name, { "x-model-property": property }) =>
    property !== "parameters" || models.some(({ parameters }) => name in parameters);
  const fieldType = (owner, name, property) => {
    const [, end] = /Generation(Completed|Failed|Canceled)Event$/.exec(owner) ?? [];
    if (end && name === "data")
      return `${nameOf(property.$ref)}${end === "Completed" ? "Succeeded" : end}`;
    const ids = name === "model" && MODEL_IDS[owner];
    return ids ? `${ids} | str` : typeOf(property, `${owner}${pascal(name)}`, name);
  };
  const typeOf = (schema, place, field) => {
    const { $ref, enum: values, type, items, anyOf, allOf, additionalProperties } = schema;
    if ($ref) return isPlainText(resolved(document, schema)) ? "str" : nameOf($ref);
    if ("const" in schema) return `Literal[${literal(schema.const)}]`;
    if (values) return `Literal[${values.map(literal).join(", ")}]`;
    if (anyOf ?? allOf) return (anyOf ?? allOf).map((one) => typeOf(one, place)).join(" | ");
    const types = [type].flat().map((one) => {
      if (one === "array") {
        const item = typeOf(items, `${place}Item`, field);
        // A list of other items than all that are taken is no `list` of these.
        return `${item === PICTURE ? "Sequence" : "list"}[${item}]`;
      }
      if (one === "object" && schema.properties) {
        add(place, schema);
        return place;
      }
      if (one === "object" && typeof additionalProperties === "object")
        return `dict[str, ${typeOf(additionalProperties, `${place}Value`)}]`;
      return one === "string" && isPicture(schema, field) ? PICTURE : SCALARS[one];
    });
    return types.join(" | ");
  };
  for (const [name, schema] of shown) add(NAMES[name] ?? name, schema);
  const operations = operationsOf(document);
  const ofPages = ["limit", "after"];
  for (const [operationId, name] of Object.entries(FILTERS)) {
    if (names.has(name)) continue;
    names.add(name);
    const operation = operations.find((one) => one.operationId === operationId);
    const fields = filterFields(document, operation, typeOf);
    const isPaged = name !== PAGE && fields.some((field) => field.name === "after");
    const own = fields.filter((field) => !isPaged || !ofPages.includes(field.name));
    classes.push(classOf(name, own, isPaged ? PAGE : "CallOptions"));
  }
  const idsOf = (kind) => models.filter((model) => model.kind === kind).map(({ id }) => id);
  return `"""${MADE_BY} and the catalog: what the service takes and answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar

from ..options import CallOptions, Picture

Type = TypeVar("Type")
Data = TypeVar("Data")

VideoModelId: TypeAlias = Literal[${idsOf("KIND_VIDEO").map(literal).join(", ")}]
"""The models of the catalog when this version was made. Any other id is allowed: \`client.models.list()\` has those of today."""

ImageModelId: TypeAlias = Literal[${idsOf("KIND_IMAGE").map(literal).join(", ")}]

${aliases.join("\n")}

${classes.join("\n\n")}

class Event(TypedDict, Generic[Type, Data]):
    type: Type
    timestamp: Timestamp
    data: Data


${events.join("\n")}

WebhookEvent: TypeAlias = ${events.map((event) => event.split(":")[0]).join(" | ")}

PICTURE_FIELDS: Final = {"videos": ${setOf(pictureFields(document, "Video"))}, "images": ${setOf(pictureFields(document, "Image"))}}
OFFERED_PICTURES: Final = {"videos": ${listOf(offeredPictures(document, "Video", models))}, "images": ${listOf(offeredPictures(document, "Image", models))}}
"""The fields of creates that take a picture in place of its URL, and those that models take: \`[]\` is an item of a list."""
`;
}

/** Whose `model` completes to which ids. */
const MODEL_IDS = { VideoRequest: "VideoModelId", ImageRequest: "ImageModelId" };

/** The module with a class for each type of error and its codes. */
export function pythonErrors(types, generationStatuses, statusTypes) {
  const classes = types.map(
    ({ type, name, codes, isOfStatus }) => `
class ${name}(ApiError):
    type: Literal[${literal(type)}]
    code: Literal[${[...codes, ...(isOfStatus ? ["unknown"] : [])].map(literal).join(", ")}]
`,
  );
  const table = types.map(({ type, name }) => `${literal(type)}: ${name}`);
  const statuses = Object.entries(generationStatuses).map(
    ([code, status]) => `${literal(code)}: ${status}`,
  );
  const ofStatuses = [...statusTypes].flatMap(([type, status]) =>
    status < 500 ? [`${status}: ${literal(type)}`] : [],
  );
  return `"""${MADE_BY}: the class for each type of error."""

# pyright: reportIncompatibleVariableOverride=false
# Nobody assigns to the attributes of an error.

from __future__ import annotations

from typing import Final, Literal

from ..errors import ApiError

${classes.join("\n")}

ERROR_CLASSES: Final[dict[str, type[ApiError]]] = {${table.join(", ")}}

GENERATION_STATUSES: Final[dict[str, int]] = {${statuses.join(", ")}}
"""The status that an error response has for a generation that failed with this code."""

STATUS_TYPES: Final[dict[int, str]] = {${ofStatuses.join(", ")}}
"""The type of an error response without one, for example of a proxy. From 500 on it is \`api_error\`."""
`;
}

/** A class; where a field's name is a keyword, the form of a call, which takes any name. */
function classOf(name, fields, base = "TypedDict") {
  const typed = fields.map(({ isRequired, type, ...field }) => ({
    ...field,
    type: isRequired ? type : `NotRequired[${type}]`,
  }));
  if (fields.some((field) => KEYWORDS.has(field.name))) {
    const items = typed.map((field) => `"${field.name}": "${quoted(field.type)}"`);
    return `${name} = TypedDict("${name}", {${items.join(", ")}})\n`;
  }
  const lines = typed.map(
    ({ name: field, type, schema }) => `    ${field}: ${type}\n${fieldDocs(name, schema)}`,
  );
  return `class ${name}(${base}):\n${lines.join("") || "    pass\n"}`;
}

/** The query of an operation as keyword arguments: `from_` stands for `from`. */
function filterFields(document, { parameters }, typeOf) {
  return parameters
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema, description }) => ({
      name: KEYWORDS.has(name) ? `${name}_` : name,
      type: schema.format === "date-time" ? "str | datetime" : typeOf(schema, pascal(name)),
      isRequired: false,
      schema: { description },
    }));
}

/** The places of the create that take a file of the caller's, each as the names of its fields; `[]` is an item of a list. */
export function pictureFields(document, kind) {
  const found = new Set();
  const look = (schema, field, path) => {
    const node = resolved(document, schema);
    if (isPicture(node, field)) found.add(path);
    if (node.items) look(node.items, field, `${path}[]`);
    for (const [name, property] of Object.entries(node.properties ?? {}))
      look(property, name, path === "" ? name : `${path}.${name}`);
  };
  look(document.components.schemas[`Create${kind}GenerationRequest`], "", "");
  return [...found];
}

/** Those of the picture fields that a model of the catalog takes. */
export function offeredPictures(document, kind, models) {
  const { properties } = document.components.schemas[`Create${kind}GenerationRequest`];
  const ofKind = models.filter((model) => model.kind === `KIND_${kind.toUpperCase()}`);
  return pictureFields(document, kind).filter((place) => {
    const [name] = place.split("[]", 1);
    const isOfSome = properties[name]["x-model-property"] === "parameters";
    return !isOfSome || ofKind.some(({ parameters }) => name in parameters);
  });
}

function listOf(texts) {
  return `[${texts.map(literal).join(", ")}]`;
}

function setOf(texts) {
  return `frozenset({${texts.map(literal).join(", ")}})`;
}

/** A video is named by the URL of an output: files of callers are pictures. */
function isPicture(schema, field) {
  return schema["x-own-files"] === true && field !== "video_url";
}

function operationsOf({ paths }) {
  return Object.values(paths).flatMap((item) => Object.values(item));
}

function resolved(document, node) {
  if (!node.$ref) return node;
  const steps = node.$ref.split("/").slice(1);
  return steps.reduce((parent, step) => parent[step], document);
}

function nameOf($ref) {
  const name = $ref.split("/").at(-1);
  return NAMES[name] ?? name;
}

export function pascal(name) {
  return name.replaceAll(/(?:^|_)(\w)/g, (_match, letter) => letter.toUpperCase());
}

function literal(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function quoted(type) {
  return type.replaceAll('"', "'");
}

/** An id, which needs no name of its own. */
function isPlainText({ type, enum: values, description, ...rest }) {
  return type === "string" && !values && description === undefined && !("const" in rest);
}

/** What is sent has its whole description; other fields have its first sentence, and the input that comes back has none. */
function fieldDocs(owner, { description }) {
  if (owner.endsWith("Input")) return "";
  if (owner in MODEL_IDS || owner === "ReferenceImage") return docs({ description }, "    ");
  const [first] = description?.replaceAll(/\s+/g, " ").split(/(?<=\.) (?=[A-Z])/) ?? [];
  return docs({ description: first }, "    ");
}

/** The description as the string below what it describes, which editors show and wrap: a line for each paragraph. */
function docs({ description = "" }, indent) {
  const text = description.trim().replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  if (text === "") return "";
  const paragraphs = text.split(/\n{2,}/).map((lines) => lines.replaceAll("\n", " "));
  const whole = paragraphs.join(`\n\n${indent}`);
  return `${indent}"""${whole}${text.endsWith('"') ? " " : ""}"""\n`;
}
