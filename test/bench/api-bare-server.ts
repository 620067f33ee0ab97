/** A bare Fastify in its own process: the limit of what a server can do here. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { parse } from "yaml";
import type { Ready } from "./api-children.ts";

/** What the bare server answers on a route. */
export type BareRoute = {
  method: "GET" | "POST";
  path: string;
  /** The name of the document's schema that bodies are validated with. */
  bodySchema?: string;
  status: number;
  answer: string;
};

export type BareOrder = { routes: readonly BareRoute[] };

process.on("message", (order: BareOrder) => void serve(order));
process.once("disconnect", () => process.exit());

async function serve({ routes }: BareOrder): Promise<void> {
  const port = await bareServer(routes);
  process.send?.({ port } satisfies Ready);
}

/** Parses and validates each request, and answers with bytes made before. */
async function bareServer(routes: readonly BareRoute[]): Promise<number> {
  const document = new URL("../../openapi/media.yaml", import.meta.url);
  const { components } = parse(readFileSync(document, "utf8")) as { components: object };
  const options = { customOptions: { strict: false, formats: { "public-https-url": true } } };
  const app = fastify({ ajv: options as object, exposeHeadRoutes: false });
  app.addSchema({ $id: "document", components });
  for (const route of routes) {
    const { method, path, bodySchema, status, answer } = route;
    if (app.hasRoute({ method, url: path })) continue;
    const body = { $ref: `document#/components/schemas/${bodySchema}` };
    app.route({
      method,
      url: path,
      schema: bodySchema === undefined ? {} : { body },
      handler: async (_request, reply) => {
        void reply.code(status).type("application/json; charset=utf-8");
        return answer;
      },
    });
  }
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}
