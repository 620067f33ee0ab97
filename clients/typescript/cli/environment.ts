/** How the command line finds the service, the API key, the caller's folder and its own name. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packageUrl, serviceAt } from "../http/settings.ts";
import { ArgumentError } from "../index.ts";

/** Whether it runs in the repository of the service: the package has no TypeScript. */
export const IS_CHECKOUT = import.meta.url.endsWith(".ts");

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service's URL; where none was given, in the repository of the service that which npm start ran last in this folder, and
 * elsewhere the service that the package was installed from. Throws ArgumentError where there is none.
 */
export function baseUrlOf(
  { baseUrl }: { baseUrl?: string },
  env: Environment,
  installedFrom = packageUrl(),
): string {
  const started = IS_CHECKOUT && env["PORT"] ? undefined : readDemo(env, "url");
  const url =
    baseUrl ||
    env["MEDIA_BASE_URL"] ||
    started ||
    serviceAt(installedFrom) ||
    (IS_CHECKOUT && `http://localhost:${env["PORT"] || "8080"}/v1`);
  if (!url) throw new ArgumentError("No service is chosen: set MEDIA_BASE_URL, or --base-url.");
  return url;
}

/** The key of the environment, else that of the demo account's test mode. Throws ArgumentError where `baseUrl` has none. */
export function apiKeyOf(env: Environment, baseUrl: string): string {
  const key = env["MEDIA_API_KEY"]?.trim();
  if (key) return key;
  const demoKey = readDemo(env, "test-key");
  if (demoKey !== undefined) return demoKey;
  const demo = IS_CHECKOUT ? `, or start the demo (${demoFile(env, "test-key")})` : "";
  throw new ArgumentError(
    `There is no API key: set MEDIA_API_KEY${demo}. The dashboard makes one: ${baseUrl.replace(/\/v1\/?$/, "")}/dashboard/go/settings/keys.`,
  );
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

/** What the user types to run this command line again: by npx where npx has run it, which keeps what it fetches for later runs. */
export function programOf(env: Environment, installedFrom = packageUrl()): string {
  if (isOurScript(env)) return "npm run --silent media-generation --";
  if (env["npm_command"] !== "exec") return "media-generation";
  const isFetched = import.meta.url.includes("/_npx/") && installedFrom !== undefined;
  return isFetched ? `npx --package=${installedFrom} media-generation` : "npx media-generation";
}

/** Whether the script of this repository's package.json runs it. */
function isOurScript(env: Environment): boolean {
  return env["npm_lifecycle_event"] === "media-generation";
}
