/** What the service is measured beside: a bare Fastify that answers each row as the service does, or a plain service. */
import type { Child, Ready, Target } from "./api-children.ts";
import type { Row } from "./api-rows.ts";
import type { BenchService } from "./api-service.ts";
import type { BareOrder, BareRoute, DurableOrder } from "./api-bare-server.ts";
import type { PlainOrder } from "./api-plain.ts";

/** So many that a list has a page of them. */
const LISTED = 20;

/** `child` is `api-bare-server.ts`. */
export async function startBare(
  child: Child,
  service: BenchService,
  rows: readonly Row[],
  durable?: DurableOrder,
): Promise<Target> {
  const routes = await Promise.all(rows.map((row) => bareRouteOf(service, row)));
  child.send({ routes, durable } satisfies BareOrder);
  const { port } = await child.message<Ready>();
  return { port, pids: child.pids };
}

/** `child` is `api-plain.ts`, which gets videos of its own: their ids stand for those of the rows. */
export async function startPlain(
  child: Child,
  rows: readonly Row[],
  where: PlainOrder,
): Promise<Target & { asked: (row: Row) => Row }> {
  child.send(where);
  const { port } = await child.message<Ready>();
  const create = rows.find((row) => row.headers["Idempotency-Key"] !== undefined);
  const { path = "", key = "", body = "" } = create ?? {};
  const ids = await Promise.all(
    Array.from({ length: LISTED }, async (_, index) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const one = index === 0 ? { ...headers, ...create?.headers } : headers;
      const request = { method: "POST", headers: one, body };
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
      return ((await answer.json()) as { id: string }).id;
    }),
  );
  const [id = ""] = ids;
  const asked = (row: Row) => {
    const requests = row.requests.map((text) => text.replace(/vgen_\w+/, id));
    return { ...row, requests };
  };
  return { port, pids: child.pids, asked };
}

async function bareRouteOf(
  { url }: BenchService,
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
