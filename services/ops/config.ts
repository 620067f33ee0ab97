/** Where the running service is and who the operator is; the only reader of ops's environment. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { JWK } from "jose";
import { ConfigError } from "#runtime/env.ts";
import type { Env } from "#runtime/env.ts";
import type { ServiceName } from "#runtime/service.ts";

export type OpsConfig = { urls: Record<ServiceName, string>; key: JWK };

/**
 * `OPS_ENDPOINTS_FILE` and `OPS_KEY_FILE` name the services' RPC addresses and the operator's private key; by
 * default they are those that `npm start` leaves in DATA_DIR.
 */
export function readConfig(env: Env): OpsConfig {
  const dataDir = resolve(env["DATA_DIR"] || ".data");
  const endpoints = env["OPS_ENDPOINTS_FILE"] || join(dataDir, "endpoints.json");
  const key = env["OPS_KEY_FILE"] || join(dataDir, "keys", "ops.json");
  const missing = [endpoints, key].filter((path) => !existsSync(path));
  if (missing.length > 0) {
    throw new ConfigError([
      `${missing.join(" and ")} not found: start the service first, or name its DATA_DIR`,
    ]);
  }
  return {
    urls: JSON.parse(readFileSync(endpoints, "utf8")) as OpsConfig["urls"],
    key: JSON.parse(readFileSync(key, "utf8")) as JWK,
  };
}
