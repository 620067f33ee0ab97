/** The service's URL and the API key, from the options, the environment or the package. */
import { ArgumentError } from "./errors.ts";

/** What to look at where something else than the API has answered. */
export const BASE_HINT = "Check baseUrl: the base of the API ends in /v1.";

/**
 * The URL with `/v1`, which is added where the URL has no path. A path is kept as it is, because a proxy may give the API
 * another one. Throws ArgumentError where there is none, or it is not an http or https URL, has a query, or is OpenAI's.
 */
export function serviceUrl(option: string | undefined): string {
  const text = given(option, "baseUrl", "MEDIA_BASE_URL", () => serviceAt(packageUrl()));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refuse = (why: string, right = "An example: https://media.example.com/v1") => {
    const source = option === undefined ? "MEDIA_BASE_URL" : "baseUrl";
    throw new ArgumentError(`${source} ${why}: ${text}. ${right}`);
  };
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return refuse("is not a URL that begins with http:// or https://");
  if (url.search || url.hash) return refuse("must end with its path, such as /v1");
  const base = `${url.origin}${url.pathname.replace(/\/+$/, "") || "/v1"}`;
  const [, root] = /^(.+)\/openai\/v1$/.exec(base) ?? [];
  return root ? refuse("is that of OpenAI's clients", `Use ${root}/v1 here.`) : base;
}

/** Throws ArgumentError, which does not show the key, where there is none, or it cannot be one. */
export function apiKeyOf(option: string | undefined): string {
  const key = given(option, "apiKey", "MEDIA_API_KEY");
  if (/^[\w-]+$/.test(key)) return key;
  throw new ArgumentError(
    "The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.",
  );
}

/** Where npm has fetched this package, as npm writes it beside the packages of a project; undefined where it has not. */
export function packageUrl(module: string = import.meta.url): string | undefined {
  try {
    const { process } = globalThis as { process?: Partial<NodeJS.Process> };
    const lock = new URL("../../.package-lock.json", module);
    const { packages } = JSON.parse(
      process?.getBuiltinModule?.("node:fs").readFileSync(lock, "utf8") ?? "",
    ) as { packages: Record<string, { resolved?: string }> };
    const [name = ""] = new URL("..", module).pathname.split("/").slice(-2);
    return packages[`node_modules/${name}`]?.resolved;
  } catch {
    return undefined;
  }
}

/** The URL of the service that has a package at this one; undefined for a registry. */
export function serviceAt(url: string | undefined): string | undefined {
  const [, origin] = /^(https?:.*)\/docs\/packages\/[^/]*$/.exec(url ?? "") ?? [];
  return origin && `${origin}/v1`;
}

function given(
  option: string | undefined,
  name: string,
  variable: string,
  otherwise?: () => string | undefined,
): string {
  const value = option ?? (environmentVariable(variable) || otherwise?.());
  if (value) return value;
  throw new ArgumentError(
    `Give createClient the option ${name}, or set ${variable} in the environment.`,
  );
}

/** Without surrounding space; undefined where it is unset or may not be read. */
function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as { process?: Partial<NodeJS.Process> }).process?.env?.[name]?.trim();
  } catch {
    // Deno without --allow-env.
    return undefined;
  }
}
