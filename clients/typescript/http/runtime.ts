/** What the client reads of the runtime that it runs in: Node, Deno, Bun, a worker or a browser. */
import packageJson from "../package.json" with { type: "json" };

type Runtime = {
  Deno?: { version: { deno: string } };
  Bun?: { version: string };
  process?: { env?: Record<string, string | undefined>; versions?: { node?: string } };
};

const runtime = globalThis as Runtime;

/** An environment variable without surrounding space; undefined where it is unset, empty or may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return runtime.process?.env?.[name]?.trim() || undefined;
  } catch {
    // Deno without --allow-env.
    return undefined;
  }
}

/** The client's and the runtime's name and version, as `User-Agent`. */
export function userAgent(): string {
  return `${packageJson.name}/${packageJson.version} (${runtimeName()})`;
}

function runtimeName(): string {
  if (runtime.Deno) return `deno ${runtime.Deno.version.deno}`;
  if (runtime.Bun) return `bun ${runtime.Bun.version}`;
  const node = runtime.process?.versions?.node;
  return node === undefined ? "unknown runtime" : `node ${node}`;
}
