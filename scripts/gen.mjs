/** `npm run gen`: generates types, JSON and MODULES from the protos, the OpenAPI documents and the catalog. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { parse } from "yaml";
import {
  offeredPictures,
  pascal,
  pictureFields,
  pythonErrors,
  pythonTypes,
} from "./gen-python.mjs";
import { runChild } from "./run-child.mjs";

const DOCUMENTS = ["media", "dashboard", "openai"];
const CATALOG = "services/generation/catalog/models.json";

/** What this script makes itself, by path. */
const MODULES = {
  "gen/openapi/dashboard-operations.ts": operationsModule,
  "gen/openapi/limits.ts": limitsModule,
  "gen/openapi/event-examples.ts": eventExamplesModule,
  "clients/typescript/http/error-classes.ts": errorsModule,
  "clients/typescript/http/known-models.ts": modelsModule,
  "clients/python/media_generation_client/gen/types.py": () =>
    pythonTypes(documentOf("media"), catalogModels()),
  "clients/python/media_generation_client/gen/error_classes.py": pythonErrorsModule,
};

/** Everything that is generated. */
export const GENERATED = ["gen/openapi", "gen/proto", ...Object.keys(MODULES)];

/** Writes GENERATED below `root`. */
export async function generate(root) {
  const made = await runChild("buf", ["generate", "--output", root]);
  if (!made.ok) return made;
  mkdirSync(join(root, "gen/openapi"), { recursive: true });
  for (const name of DOCUMENTS) {
    const types = astToString(await openapiTS(pathToFileURL(`openapi/${name}.yaml`)));
    writeFileSync(join(root, `gen/openapi/${name}.ts`), withPlainDocs(COMMENT_HEADER + types));
    const json = JSON.stringify(documentOf(name), undefined, 1);
    writeFileSync(join(root, `gen/openapi/${name}.json`), `${json}\n`);
  }
  for (const [path, textOf] of Object.entries(MODULES)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), textOf());
  }
  return { ok: true, output: "" };
}

/** Descriptions as editors show them: not as a tag, not indented as code is, and without the names of formats. */
function withPlainDocs(types) {
  return types
    .replaceAll(/^ *(?:\/\*)?\* Format: [\w-]+(?: \*\/)?\n/gm, "")
    .replaceAll(/^( *\*) {5}(?= *\S)/gm, "$1 ")
    .replaceAll(/^( *\* [^\s@].*\n)( *\*) @description /gm, "$1$2\n$2 ")
    .replaceAll("@description ", "");
}

function documentOf(name) {
  return parse(readFileSync(`openapi/${name}.yaml`, "utf8"));
}

function pythonErrorsModule() {
  const media = documentOf("media");
  return pythonErrors(errorTypes(media), generationStatuses(media), statusTypes(media));
}

function catalogModels() {
  return JSON.parse(readFileSync(CATALOG, "utf8")).models;
}

/** The `x-roles` of the dashboard's operations as a module, so that its pages show what the user may do. */
function operationsModule() {
  const { paths } = documentOf("dashboard");
  const MODE = "#/components/parameters/Mode";
  const lines = Object.entries(paths).flatMap(([path, { parameters: shared = [], ...item }]) =>
    Object.entries(item).map(([method, { operationId, parameters = [], "x-roles": roles }]) => {
      const takesMode = [...shared, ...parameters].some(({ $ref }) => $ref === MODE);
      const facts = { method: method.toUpperCase(), path, takesMode, roles };
      return `  ${operationId}: ${JSON.stringify(facts)},\n`;
    }),
  );
  return `/** Made by \`npm run gen\` from openapi/dashboard.yaml. */\nexport const OPERATIONS = {\n${lines.join("")}} as const;\n`;
}

/** The example of each webhook event of the media document, which test events carry. */
function eventExamplesModule() {
  const { webhooks, components } = documentOf("media");
  const examples = Object.entries(webhooks).map(([type, { post }]) => {
    const [example] = Object.values(post.requestBody.content["application/json"].examples);
    const { value } = example.$ref
      ? components.examples[example.$ref.slice("#/components/examples/".length)]
      : example;
    return `  ${JSON.stringify(type)}: ${JSON.stringify(value.data)},\n`;
  });
  return `/** Made by \`npm run gen\` from openapi/media.yaml: the data of an example of each webhook event. */
export const EVENT_EXAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
${examples.join("")}};
`;
}

/** A class for each type of error in the media document, with its codes. */
function errorsModule() {
  const document = documentOf("media");
  const types = errorTypes(document);
  const classes = types.map(
    ({ type, name, codes, isOfStatus }) => `
export class ${name} extends ApiError {
  override readonly name: string = "${name}";
  declare readonly type: "${type}";
  declare readonly code: ${codes.map((code) => JSON.stringify(code)).join(" | ")}${isOfStatus ? ` | typeof UNKNOWN_CODE` : ""};
}
`,
  );
  const statuses = Object.entries(generationStatuses(document));
  const table = types.map(({ type, name }) => `  ${type}: ${name},\n`);
  return `/** Made by \`npm run gen\` from openapi/media.yaml: the client's class for each type of error. */
import { ApiError, type UNKNOWN_CODE } from "./api-error.ts";
${classes.join("")}
export const ERROR_CLASSES: Readonly<Record<string, typeof ApiError>> = {
${table.join("")}};

/** The status that an error response has for a generation that failed with this code. */
export const GENERATION_STATUSES: Readonly<Record<string, number>> = {
${statuses.map(([code, status]) => `  ${code}: ${status},\n`).join("")}};

/** The type of an error response without one, for example of a proxy. From 500 on it is \`api_error\`. */
export const STATUS_TYPES: Readonly<Record<number, ApiError["type"]>> = {
${[...statusTypes(document)].map(([type, status]) => (status < 500 ? `  ${status}: "${type}",\n` : "")).join("")}};
`;
}

/** Statuses that say the same whoever answers: with others, a proxy means something of its own. */
const PLAIN_STATUSES = [401, 403, 404, 429, 500];

/** The types of error of PLAIN_STATUSES, with the status. */
function statusTypes({ "x-error-codes": codes }) {
  const typeOf = (status) => codes.find((each) => each.status === status)?.type;
  return new Map(PLAIN_STATUSES.map((status) => [typeOf(status), status]));
}

/** The status of each code of the type `generation_error`. */
function generationStatuses({ "x-error-codes": codes }) {
  const ofGenerations = codes.filter(({ type }) => type === "generation_error");
  return Object.fromEntries(ofGenerations.map(({ code, status }) => [code, status]));
}

/** Each type of error with its class and its codes, and whether a plain status has it. */
function errorTypes(document) {
  const ofStatuses = statusTypes(document);
  const types = Map.groupBy(document["x-error-codes"], ({ type }) => type);
  return [...types].map(([type, entries]) => ({
    type,
    // ApiError is the class of all error responses.
    name: type === "api_error" ? "ServiceError" : pascal(type),
    codes: [...new Set(entries.map(({ code }) => code))],
    isOfStatus: ofStatuses.has(type),
  }));
}

/** The inputs of each model of the catalog, by kind. */
function modelsModule() {
  const document = documentOf("media");
  const { schemas } = document.components;
  const models = catalogModels();
  const interfaceOf = (name, kind, image, schema) => {
    const lines = models
      .filter((model) => model.kind === kind)
      .map(
        (model) =>
          `  ${JSON.stringify(model.id)}: ${knownModel(model, image, schema.properties)};\n`,
      );
    return `\nexport interface ${name} {\n${lines.join("")}}\n`;
  };
  const { CreateVideoGenerationRequest: videoBody, CreateImageGenerationRequest: imageBody } =
    schemas;
  const video = interfaceOf("KnownVideoModels", "KIND_VIDEO", "image_url", videoBody);
  const image = interfaceOf("KnownImageModels", "KIND_IMAGE", "image_urls", imageBody);
  const takes = (place) => [place.split("[]", 1)[0], place.includes("[]") ? "list" : "one"];
  const fields = (kind) => Object.fromEntries(pictureFields(document, kind).map(takes));
  const pictures = JSON.stringify({ videos: fields("Video"), images: fields("Image") });
  const names = (kind) =>
    offeredPictures(document, kind, models).map((place) => place.split("[]", 1)[0]);
  const offered = JSON.stringify({ videos: names("Video"), images: names("Image") });
  return `/** Made by \`npm run gen\` from ${CATALOG}, and the fields that take pictures from openapi/media.yaml. */
${video}${image}
export const PICTURE_FIELDS: Record<"videos" | "images", Record<string, "one" | "list">> = ${pictures};
/** Those that a model of the catalog takes. */
export const OFFERED_PICTURES: Record<"videos" | "images", string[]> = ${offered};
`;
}

/** `refused` are the fields that only other models take. */
function knownModel(model, image, properties) {
  const { inputs, required_inputs: required, parameters } = model;
  const values = Object.entries(valuesOf(model)).map(
    ([name, allowed]) => `${name}: ${typeOfOne(allowed)}`,
  );
  const isRefused = ([name, { "x-model-property": property }]) =>
    property === "parameters" ? !(name in parameters) : name === image && !inputs.includes("image");
  const refused = Object.entries(properties).filter(isRefused);
  const needed = required.includes("image") ? JSON.stringify(image) : "never";
  return `{ values: { ${values.join("; ")} }; refused: ${typeOfOne(refused.map(([name]) => name))}; required: ${needed} }`;
}

function typeOfOne(values) {
  return values.map((value) => JSON.stringify(value)).join(" | ") || "never";
}

/** The values that a model takes of each field that it takes some values of only. */
function valuesOf({ durations, aspect_ratios: ratios = [], sizes = [], parameters }) {
  const ofParameters = Object.entries(parameters).map(([name, { values = [], max }]) => [
    name,
    max === undefined ? values : stepsOf({ min: 1, max, step: 1 }),
  ]);
  const all = [
    ["duration", durations ? stepsOf(durations) : []],
    ["aspect_ratio", ratios],
    ["size", sizes],
    ...ofParameters,
  ];
  return Object.fromEntries(all.filter(([, values]) => values.length > 0));
}

function stepsOf({ min, max, step }) {
  return Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, i) => min + i * step);
}

/**
 * The limits of fields as a module, so that pages can count before they send: the longest texts, the most Tokens. And what
 * filters of the dashboard's lists offer: types of events, and statuses of errors.
 */
function limitsModule() {
  const { webhooks, components: media, "x-error-codes": codes } = documentOf("media");
  const { schemas, parameters } = media;
  const statuses = [...new Set(codes.map(({ status }) => status))].toSorted((a, b) => a - b);
  const { CreateVideoGenerationRequest: video, CreateImageGenerationRequest: image } = schemas;
  const { components } = documentOf("dashboard");
  const {
    CreateRequestRequest: request,
    LimitTokens: limitTokens,
    KeyPermissions,
  } = components.schemas;
  const keyModels = { maximum: KeyPermissions.properties.models.maxItems };
  const { schema: search } = components.parameters.GenerationSearch;
  const { schema: endUser } = parameters.EndUserFilter;
  const { schema: deliveryUrl } = parameters.DeliveryUrlFilter;
  return `/** Made by \`npm run gen\` from openapi/media.yaml and openapi/dashboard.yaml. */
${limitsConstant("GENERATION_LIMITS", { ...image.properties, ...video.properties })}
${limitsConstant("REQUEST_LIMITS", request.properties)}
${limitsConstant("DASHBOARD_LIMITS", { search, endUser, deliveryUrl, limitTokens, keyModels })}
export const EVENT_TYPES = ${JSON.stringify(Object.keys(webhooks))} as const;
export const ERROR_STATUSES = ${JSON.stringify(statuses.map(String))} as const;
`;
}

/** The `maxLength` in characters, or the `maximum`, of each schema that has one. */
function limitsConstant(constant, fields) {
  const limits = Object.entries(fields).flatMap(([name, { maxLength, maximum = maxLength }]) =>
    maximum === undefined ? [] : [`  ${name}: ${maximum},\n`],
  );
  return `export const ${constant} = {\n${limits.join("")}} as const;\n`;
}

if (import.meta.main) {
  const { ok, output } = await generate(".");
  process.stderr.write(output);
  if (!ok) process.exitCode = 1;
}
