/** Parses an upstreams file and validates it with upstreams.schema.json; each fault names its location. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { Capabilities } from "../domain/capabilities.ts";

export type CredentialEntry = { concurrency?: number; submits_per_second?: number };

export type UpstreamEntry = {
  name: string;
  provider: string;
  model: string;
  credential: string;
  base_url?: string;
  parameters?: Readonly<Record<string, unknown>>;
  priority?: number;
  weight?: number;
  concurrency?: number;
  capabilities?: Capabilities;
  disabled?: boolean;
};

export type UpstreamsFile = {
  credentials: Readonly<Record<string, CredentialEntry>>;
  models: Readonly<Record<string, readonly UpstreamEntry[]>>;
};

const schemaPath = new URL("./upstreams.schema.json", import.meta.url);

export function parseUpstreams(text: string): { file: UpstreamsFile } | { faults: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { faults: [`not valid JSON: ${(error as Error).message}`] };
  }
  const schema = JSON.parse(readFileSync(schemaPath, "utf8")) as object;
  const validate = new Ajv2020({ allErrors: true }).compile<UpstreamsFile>(schema);
  if (validate(json)) return { file: json };
  return { faults: (validate.errors ?? []).map(described) };
}

function described({ instancePath, message, params }: ErrorObject): string {
  const named = (params["additionalProperty"] ?? params["propertyName"]) as string | undefined;
  const name = named === undefined ? "" : ` ("${named}")`;
  return `${pathOf(instancePath)}: ${message ?? "is invalid"}${name}`;
}

/** Formats the JSON pointer "/models/a/0/name" as "models.a[0].name". */
function pathOf(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  const text = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join("");
  return text.replace(/^\./, "") || "the file";
}
