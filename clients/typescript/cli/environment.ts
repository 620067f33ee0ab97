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
 * The service's URL; where none was given, that of the service which npm start ran last in this folder. `PORT` is the service's
 * in its own repository only: elsewhere something else listens there, which must not get the key. Throws UsageError where what
 * was given is not a URL.
 */
export function baseUrlOf(
  { baseUrl }: { baseUrl?: string },
  env: Environment,
  isCheckout = IS_CHECKOUT,
): string {
  const port = isCheckout ? env["PORT"] : undefined;
  const started = port ? undefined : readDemo(env, "url");
  const local = started ?? `http://localhost:${port || "8080"}/v1`;
  const url = baseUrl || env["MEDIA_BASE_URL"] || local;
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
  const demoKey = readDemo(env, "test-key");
  if (demoKey !== undefined) return demoKey;
  const demo = IS_CHECKOUT ? `, or start the demo (${demoFile(env, "test-key")})` : "";
  throw new UsageError(`There is no API key: set MEDIA_API_KEY${demo}.`);
}

/** What npm start has written of its demo account and address; undefined where it has not run in this folder. */
function readDemo(env: Environment, name: "test-key" | "url"): string | undefined {
  try {
    return readFileSync(demoFile(env, name), "utf8").trim();
  } catch {
    return undefined;
  }
}

function demoFile(env: Environment, name: string): string {
  return join(env["DATA_DIR"] || ".data", "demo", name);
}

/** A path relative to the folder where npm was called; npm itself runs scripts in the package's folder. */
export function resolveFromCaller(path: string, env: Environment): string {
  return resolve((isOurScript(env) && env["INIT_CWD"]) || ".", path);
}

/** What the user types to run this command line again. */
export function programOf(env: Environment): string {
  return isOurScript(env) ? "npm run --silent media-generation --" : "media-generation";
}

/** Whether the script of this repository's package.json runs it. */
function isOurScript(env: Environment): boolean {
  return env["npm_lifecycle_event"] === "media-generation";
}
