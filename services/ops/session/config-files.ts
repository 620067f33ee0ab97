/** Reads the files that an operator's settings name, and says what is wrong in which. */
import { readFileSync } from "node:fs";
import type { EnvReader } from "#runtime/env.ts";
import type { ServiceKey } from "#runtime/rpc/service-token.ts";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import { SERVICES } from "../setup/provision.ts";
import type { Expected } from "../status/concerns.ts";

/** A file, the variable that names it, and what it is to be. */
type SettingsFile = { path: string; variable: string; wanted: string; isSecret: boolean };

/** The addresses of every service, and how many replicas it has to have; each problem is recorded in `reader`. */
export function readEndpoints(
  reader: Pick<EnvReader, "problem">,
  path: string,
): { urls: Record<ServiceName, PeerUrls>; expected: Expected } {
  const wanted = `the services' RPC addresses, {"gateway":"http://…:9000",…}`;
  const file = { path, variable: "OPS_ENDPOINTS_FILE", wanted, isSecret: false };
  const found = readJson(reader, file);
  const lists = SERVICES.map((name) => {
    const urls = [found?.[name]].flat();
    if (found && (urls.length === 0 || !urls.every(isRpcUrl))) {
      reader.problem(
        `${path}: "${name}" must be its RPC address, a URL that begins with http or https, or a list of such, not ${JSON.stringify(found[name])}`,
      );
    }
    return [name, urls];
  });
  const expected = (found?.["replicas"] ?? {}) as Expected;
  for (const [name, count] of Object.entries(expected)) {
    if ((SERVICES as readonly string[]).includes(name) && Number.isInteger(count)) continue;
    reader.problem(
      `${path}: "replicas" must be like {"billing":2}, not ${JSON.stringify(expected)}`,
    );
  }
  return { urls: Object.fromEntries(lists) as Record<ServiceName, PeerUrls>, expected };
}

export function readOperatorKey(reader: Pick<EnvReader, "problem">, path: string): ServiceKey {
  const wanted = "the operator's private key, ops.json of `ops service-key init`";
  const key = readJson(reader, {
    path,
    variable: "OPS_KEY_FILE",
    wanted,
    isSecret: true,
  }) as ServiceKey;
  if (key && !(isSigningKey(key) && key.owner === "ops")) {
    const is = isSigningKey(key) && key.owner ? `, not ${key.owner}'s` : "";
    reader.problem(`${path}: it must be ${wanted}${is}`);
  }
  return key;
}

function readJson(
  reader: Pick<EnvReader, "problem">,
  { path, variable, wanted, isSecret }: SettingsFile,
): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const what = isMissing ? "not found" : `cannot be read: ${(error as Error).message}`;
    reader.problem(
      `${path} ${what}: set ${variable} to the file with ${wanted}, or DATA_DIR to the data folder of \`npm start\`, once it runs`,
    );
    return undefined;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Record<string, unknown>;
    }
    reader.problem(`${path}: it must be ${wanted}`);
  } catch (error) {
    // The message quotes the text.
    const fault = isSecret ? "it is not JSON" : (error as Error).message;
    reader.problem(`${path}: it must be ${wanted}: ${fault}`);
  }
  return undefined;
}

function isRpcUrl(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  return ["http:", "https:"].includes(new URL(url).protocol);
}

function isSigningKey({ kty, crv, x, d }: ServiceKey): boolean {
  return kty === "OKP" && crv === "Ed25519" && [x, d].every((part) => typeof part === "string");
}
