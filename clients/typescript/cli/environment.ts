/** How the command line finds the service, the API key and the caller's folder. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { apiUrl } from "../http/base-url.ts";
import { checkedKey } from "../http/connection.ts";
import { UsageError } from "./cli-errors.ts";

/** Whether it runs in the repository of the service: the package has no TypeScript. */
export const IS_CHECKOUT = import.meta.url.endsWith(".ts");

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service's URL. Throws UsageError where what was given is not a URL. `PORT` is that of the service in its own repository only:
 * elsewhere something else listens there, which must not get the key.
 */
export function baseUrlOf(
  { baseUrl }: { baseUrl?: string },
  env: Environment,
  isCheckout = IS_CHECKOUT,
): string {
  const port = (isCheckout && env["PORT"]) || "8080";
  const url = baseUrl || env["MEDIA_BASE_URL"] || `http://localhost:${port}/v1`;
  try {
    return apiUrl(url, baseUrl ? "--base-url" : "MEDIA_BASE_URL");
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/**
 * The key of the environment, else that of test mode of the demo account. Throws UsageError where there is none, and
 * ArgumentError for one that cannot be right.
 */
export function apiKeyOf(env: Environment): string {
  const key = env["MEDIA_API_KEY"]?.trim();
  if (key) return checkedKey(key);
  // Beside a service that npm start runs, there is one of the demo account.
  const file = join(env["DATA_DIR"] || ".data", "demo", "test-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const demo = IS_CHECKOUT ? `, or start the demo (${file})` : "";
    throw new UsageError(`There is no API key: set MEDIA_API_KEY${demo}.`);
  }
}

/** A path relative to the folder where npm was called; npm itself runs scripts in the package's folder. */
export function resolveFromCaller(path: string, env: Environment): string {
  return resolve((isOurScript(env) && env["INIT_CWD"]) || ".", path);
}

/** What the user types to run this command line again. */
export function programOf(env: Environment): string {
  return isOurScript(env)
    ? `npm run --silent ${env["npm_lifecycle_event"]} --`
    : "media-generation";
}

/** The names under which package.json of this repository has the command line. */
const SCRIPTS = new Set<string | undefined>(["media-generation", "generate"]);

function isOurScript(env: Environment): boolean {
  return SCRIPTS.has(env["npm_lifecycle_event"]);
}
