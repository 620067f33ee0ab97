/** Samples of code that call the API, in three languages. */
import { curlSample } from "../../../clients/samples/sample-languages.ts";
import { pythonClientSample, typescriptClientSample, type ClientCall } from "./client-samples.ts";
import type { Operation } from "./operations.ts";
import { withoutAddresses } from "./schema.ts";

export type CodeSample = { label: string; source: string };

export function samplesOf(call: ClientCall): CodeSample[] {
  return [
    { label: "curl", source: curlSample(call.request) },
    { label: "TypeScript", source: typescriptClientSample(call) },
    { label: "Python", source: pythonClientSample(call) },
  ];
}

/** Those of an operation with the document's examples; none of an event. `baseUrl` is that of the API. */
export function operationSamples(
  { id: operationId, route, parameters, body, successes }: Operation,
  baseUrl: string,
): CodeSample[] {
  if (!route) return [];
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const path = inPath.reduce(
    (url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(example)),
    route.path,
  );
  const query = new URLSearchParams();
  for (const { name, in: place, isRequired, example } of parameters)
    if (place === "query" && isRequired) query.append(name, example);
  const sendsFile = body?.type === "multipart/form-data";
  const request = {
    method: route.method,
    url: `${baseUrl}${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
    // A file costs nothing, and the next one has other bytes.
    hasIdempotencyKey: !sendsFile && parameters.some(({ name }) => name === "Idempotency-Key"),
    body: body && !sendsFile ? withoutAddresses(body.example) : undefined,
    sendsFile,
    hasNoContent: successes.some(({ status }) => status === "204"),
  };
  const pathValues = inPath.map(({ example }) => example);
  return samplesOf({ operationId, baseUrl, pathValues, request });
}
