/** Reads an upstreams file: by upstreams.schema.json, each fault with its location, and by the rules that it cannot express. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import type { Capabilities } from "../domain/capabilities.ts";
import { PARAMETERS } from "../domain/parameters.ts";
import type { KnownProviders } from "./known-providers.ts";
import { SIMULATOR } from "./upstreams.ts";

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
  credentials: Readonly<Record<string, { concurrency?: number; submits_per_second?: number }>>;
  models: Readonly<Record<string, readonly UpstreamEntry[]>>;
};

const schemaPath = new URL("./upstreams.schema.json", import.meta.url);
/** Compiled once, which takes a tenth of a second. */
let validator: ValidateFunction<UpstreamsFile> | undefined;

/** Throws all faults of the file, as messages to the operator. */
export function readUpstreams(path: string, knownProviders: KnownProviders): UpstreamsFile {
  const refused = (faults: string[]) => new Error(`${path}: ${faults.join("; ")}`);
  const text = readFileSync(path, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw refused([`not valid JSON: ${(error as Error).message}`]);
  }
  validator ??= new Ajv2020({ allErrors: true }).compile<UpstreamsFile>(
    JSON.parse(readFileSync(schemaPath, "utf8")) as object,
  );
  if (!validator(json)) throw refused((validator.errors ?? []).map(described));
  const faults = upstreamsFaults(json, knownProviders);
  if (faults.length > 0) throw refused(faults);
  return json;
}

function described({ instancePath, message, params }: ErrorObject): string {
  const named = (params["additionalProperty"] ?? params["propertyName"]) as string | undefined;
  const name = named === undefined ? "" : ` ("${named}")`;
  return `${instancePath || "the file"}: ${message ?? "is invalid"}${name}`;
}

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "[::1]", "localhost"]);

function upstreamsFaults(file: UpstreamsFile, knownProviders: KnownProviders): string[] {
  const upstreams = Object.values(file.models).flat();
  const names = upstreams.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [
    ...[...repeated].map((name) => `upstream ${name} is listed twice`),
    ...upstreams.flatMap((upstream) =>
      entryFaults(upstream, file, knownProviders).map(
        (fault) => `upstream ${upstream.name}: ${fault}`,
      ),
    ),
  ];
}

function entryFaults(
  upstream: UpstreamEntry,
  file: UpstreamsFile,
  knownProviders: KnownProviders,
): string[] {
  const faults: string[] = [];
  const known = new Map(Object.entries(knownProviders)).get(upstream.provider);
  if (!known) {
    const providers = Object.keys(knownProviders).join(", ");
    faults.push(`unknown provider "${upstream.provider}"; the providers are ${providers}`);
  } else if ((upstream.base_url ?? known.baseUrl) === undefined) {
    faults.push(`base_url is missing; it is ${known.baseUrlHint}`);
  }
  for (const name of Object.keys(upstream.capabilities?.parameters ?? {})) {
    const isKnown = [...PARAMETERS.video, ...PARAMETERS.image].includes(name);
    if (!isKnown) faults.push(`its capabilities name the parameter "${name}", which there is not`);
  }
  if (!Object.hasOwn(file.credentials, upstream.credential)) {
    faults.push(`its credential "${upstream.credential}" is not listed under credentials`);
  }
  if (upstream.name === SIMULATOR || upstream.credential === SIMULATOR) {
    faults.push(`the name "${SIMULATOR}" is reserved`);
  }
  if (upstream.base_url !== undefined && !isSafeBase(upstream.base_url)) {
    faults.push(`base_url must be an https URL (or local http) without user, query or fragment`);
  }
  return faults;
}

/** Keys are sent to the base URL, so plain http is allowed on this machine only. */
function isSafeBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (username !== "" || search !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && LOOPBACK_HOSTS.has(hostname));
}
