/** The environment of an operator's command line whose services are served by a test. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { serveRpc } from "./rpc-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Serves what `routes` has of every service on one port; callers need no token. */
export async function opsEndpoints(...[routes, options]: Parameters<typeof serveRpc>) {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const server = stack.use(await serveRpc(routes, options));
  const env = {
    OPS_ENDPOINTS_FILE: join(path, "endpoints.json"),
    OPS_KEY_FILE: join(path, "key.json"),
  };
  const endpoints = Object.fromEntries(SERVICES.map((name) => [name, server.url]));
  await writeFile(env.OPS_ENDPOINTS_FILE, JSON.stringify(endpoints));
  await writeFile(env.OPS_KEY_FILE, JSON.stringify((await generateIdentity("ops")).privateKey));
  const running = stack.move();
  return { env, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
