/** Writes one operation as code with the project's own clients, in TypeScript and Python. */
import {
  FILE,
  indented,
  keyOf,
  pythonLiteral,
  type SampleRequest,
} from "../../../clients/samples/sample-languages.ts";

export type ClientCall = {
  operationId: string;
  baseUrl: string;
  /** The examples of its path parameters, in order. */
  pathValues: readonly string[];
  request: SampleRequest;
};

type Method = {
  name: string;
  /** What it resolves with; undefined where that is nothing. */
  result?: string;
  isList?: true;
};

/** The function of the TypeScript client for each operation; that of the Python client has its name in snake case. */
const METHODS: Readonly<Record<string, Method>> = {
  createVideoGeneration: { name: "videos.create", result: "video" },
  listVideoGenerations: { name: "videos.list", result: "video", isList: true },
  retrieveVideoGeneration: { name: "videos.retrieve", result: "video" },
  deleteVideoGeneration: { name: "videos.delete" },
  cancelVideoGeneration: { name: "videos.cancel", result: "video" },
  createImageGeneration: { name: "images.create", result: "image" },
  listImageGenerations: { name: "images.list", result: "image", isList: true },
  retrieveImageGeneration: { name: "images.retrieve", result: "image" },
  deleteImageGeneration: { name: "images.delete" },
  cancelImageGeneration: { name: "images.cancel", result: "image" },
  createFile: { name: "files.create", result: "file" },
  listFiles: { name: "files.list", result: "file", isList: true },
  retrieveFile: { name: "files.retrieve", result: "file" },
  deleteFile: { name: "files.delete" },
  listModels: { name: "models.list", result: "models" },
  retrieveModel: { name: "models.retrieve", result: "model" },
  retrieveBalance: { name: "balance.retrieve", result: "balance" },
  retrieveUsage: { name: "usage.retrieve", result: "usage" },
  listTransactions: { name: "transactions.list", result: "transaction", isList: true },
  listRequests: { name: "requests.list", result: "request", isList: true },
  listWebhookDeliveries: { name: "deliveries.list", result: "delivery", isList: true },
  retrieveWebhookDelivery: { name: "deliveries.retrieve", result: "delivery" },
  redeliverWebhook: { name: "deliveries.redeliver", result: "delivery" },
};

/** Throws for an operation that the clients do not have. */
function methodOf(operationId: string): Method {
  const method = METHODS[operationId];
  if (!method) throw new Error(`no client has a function for ${operationId}`);
  return method;
}

export function typescriptClientSample({
  operationId,
  baseUrl,
  pathValues,
  request,
}: ClientCall): string {
  const { name, result, isList } = methodOf(operationId);
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(request.body === undefined ? [] : [typescriptLiteral(request.body)]),
    ...(request.sendsFile ? [`{ path: "${FILE}" }`] : []),
    ...(request.hasIdempotencyKey ? [`{ idempotencyKey: "${keyOf(request)}" }`] : []),
  ];
  const isLong = args.some((each) => each.includes("\n"));
  const listed = isLong
    ? `\n  ${args.map((each) => indented(each, 2)).join(",\n  ")},\n`
    : args.join(", ");
  const call = `client.${name}(${listed})`;
  return [
    'import { createClient } from "media-generation-client";',
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} }); // the key from MEDIA_API_KEY`,
    ...(isList
      ? [`for await (const ${result} of ${call}) console.log(${result});`]
      : result === undefined
        ? [`await ${call};`]
        : [`const ${result} = await ${call};`, `console.log(${result});`]),
  ].join("\n");
}

export function pythonClientSample({
  operationId,
  baseUrl,
  pathValues,
  request,
}: ClientCall): string {
  const { name, result, isList } = methodOf(operationId);
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...Object.entries((request.body ?? {}) as object).map(
      ([field, value]) => `${field}=${pythonLiteral(value)}`,
    ),
    ...(request.sendsFile ? [`Path("${FILE}")`] : []),
    ...(request.hasIdempotencyKey ? [`idempotency_key="${keyOf(request)}"`] : []),
  ];
  const listed =
    args.length > 1 ? `\n    ${args.map((each) => indented(each, 4)).join(",\n    ")},\n` : args[0];
  const call = `client.${snakeCase(name)}(${listed ?? ""})`;
  return [
    ...(request.sendsFile ? ["from pathlib import Path", ""] : []),
    "import media_generation_client as media",
    "",
    `client = media.Client(base_url=${JSON.stringify(baseUrl)})  # the key from MEDIA_API_KEY`,
    ...(isList
      ? [`for ${result} in ${call}:`, `    print(${result})`]
      : result === undefined
        ? [call]
        : [`${result} = ${call}`, `print(${result})`]),
  ].join("\n");
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** As JSON, with the names of fields bare. A line of JSON begins with nothing else in quotation marks and a colon. */
function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}
