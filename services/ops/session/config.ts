/** Settings of ops: the services' addresses and the operator's key. The only reader of its environment. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { envReader, POSTGRES, type Env, type EnvReader } from "#runtime/env.ts";
import { readDatabaseUrl } from "#runtime/postgres/database-url.ts";
import type { ServiceKey } from "#runtime/rpc/service-token.ts";
import { readRpcTls } from "#runtime/rpc/tls.ts";
import { SERVICES, type PeerUrls, type ServiceName } from "#runtime/service/service.ts";
import type { Expected } from "../status/concerns.ts";
import { rolesOf } from "../setup/provision.ts";

/**
 * `OPS_ENDPOINTS_FILE` names a file with the services' RPC addresses, one or a list for each, `OPS_KEY_FILE` one with
 * the operator's private key. The default files are those that `npm start` writes to DATA_DIR. The RPC_TLS_* variables
 * are those of services.
 */
export function readConfig(env: Env) {
  const reader = envReader(env);
  const dataDir = resolve(reader.string("DATA_DIR", ".data"));
  const endpoints = reader.string("OPS_ENDPOINTS_FILE", join(dataDir, "endpoints.json"));
  const key = reader.string("OPS_KEY_FILE", join(dataDir, "keys", "ops.json"));
  return reader.done({
    ...readEndpoints(reader, endpoints),
    key: readOperatorKey(reader, key),
    tls: readRpcTls(reader),
  });
}

/** The addresses of every service, and how many replicas it has to have, where the file says it. */
function readEndpoints(reader: EnvReader, path: string) {
  const wanted = `the services' RPC addresses, {"gateway":"http://…:9000",…}`;
  const found = readJson(reader, path, "OPS_ENDPOINTS_FILE", wanted);
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

function readOperatorKey(reader: EnvReader, path: string): ServiceKey {
  const wanted = "the operator's private key, ops.json of `ops service-key init`";
  const key = readJson(reader, path, "OPS_KEY_FILE", wanted) as ServiceKey | undefined;
  const { owner, crv, d } = key ?? {};
  if (key && !(crv === "Ed25519" && typeof d === "string" && owner === "ops"))
    reader.problem(`${path}: it must be ${wanted}, not one of ${owner ?? "another kind"}`);
  return key as ServiceKey;
}

/** Problems say nothing of what is in the file. */
function readJson(reader: EnvReader, path: string, variable: string, wanted: string) {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
    reader.problem(`${path}: it must be ${wanted}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fault = code === "ENOENT" ? "not found" : (code ?? "it is not JSON");
    reader.problem(
      `${path}: ${fault}: set ${variable} to the file with ${wanted}, or DATA_DIR to the data folder of \`npm start\`, once it runs`,
    );
  }
  return undefined;
}

function isRpcUrl(url: unknown): boolean {
  return typeof url === "string" && /^https?:$/.test(URL.parse(url)?.protocol ?? "");
}

/** How this command line is called: npm tells which of its scripts runs, and the container image has no npm. */
export function commandName(env: Env): string {
  return env["npm_lifecycle_event"] === "ops"
    ? "npm run --silent ops --"
    : "node services/ops/main.ts";
}

/** The password of role `media_billing_owner` is in BILLING_OWNER_PASSWORD; those that are not set are made. */
export function readProvisionConfig(env: Env) {
  const reader = envReader(env);
  const adminUrl = reader.url("ADMIN_DATABASE_URL", POSTGRES);
  return reader.done({ adminUrl, passwords: readPasswords(reader) });
}

/** The passwords of the roles that have one in the environment. */
export function readPasswords(reader: EnvReader): ReadonlyMap<string, string> {
  const given = SERVICES.flatMap(rolesOf).flatMap((role) => {
    const password = reader.optional(passwordVariable(role));
    return password === undefined ? [] : [[role, password] as const];
  });
  return new Map(given);
}

export function passwordVariable(role: string): string {
  return `${role.replace("media_", "").toUpperCase()}_PASSWORD`;
}

export function readMigrateConfig(env: Env): { url: string } {
  const reader = envReader(env);
  return reader.done({ url: readDatabaseUrl(reader, "MIGRATE_DATABASE_URL") });
}
