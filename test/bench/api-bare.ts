/** The bare Fastify beside the service: it answers each row with the bytes that the service answers now. */
import type { WholeService } from "../support/whole-service.ts";
import type { Child } from "./api-children.ts";
import type { Row } from "./api-rows.ts";
import type { BareRoute } from "./api-bare-server.ts";
import type { DurableOrder } from "./api-durable.ts";
import type { BareReady } from "./api-servers.ts";
import type { Target } from "./api-turn.ts";

/** `servers` is the child `api-servers.ts`. */
export async function startBare(
  servers: Child,
  service: WholeService,
  rows: readonly Row[],
): Promise<Target> {
  servers.send(await Promise.all(rows.map((row) => bareRouteOf(service, row))));
  const { port } = await servers.message<BareReady>();
  return { port, pids: servers.pids };
}

/** `child` is `api-durable.ts`. */
export async function startDurable(
  child: Child,
  service: WholeService,
  rows: readonly Row[],
  where: Omit<DurableOrder, "routes">,
): Promise<Target> {
  const routes = await Promise.all(rows.map((row) => bareRouteOf(service, row)));
  child.send({ ...where, routes } satisfies DurableOrder);
  const { port } = await child.message<BareReady>();
  return { port, pids: child.pids };
}

async function bareRouteOf(
  { url }: WholeService,
  { method, path, route, key, body, ...row }: Row,
): Promise<BareRoute> {
  const headers = { authorization: `Bearer ${key}`, ...row.headers };
  const request = body === undefined ? { headers } : { headers, body };
  const response = await fetch(`${url}${path}`, { method, ...request });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${row.name}: ${answer}`);
  const schema = row.bodySchema === undefined ? {} : { bodySchema: row.bodySchema };
  return { method, path: route, status: response.status, answer, ...schema };
}
