/** Serves liveness, readiness, the public OpenAPI document and the index of what is here. */
import type { Contract } from "./contract.ts";
import type { FastifyInstance } from "fastify";
import type { IsReady } from "#runtime/postgres/readiness.ts";
import type { Shutdown } from "#runtime/shutdown.ts";
import { Problem } from "./problem.ts";

/** The public OpenAPI document as it is served: with the address of this service. */
export type ServedDocument = { json: string; yaml: string };

/** `publicUrl` has no trailing slash. */
export function servedDocument(
  { document, prefix, yaml }: Pick<Contract, "document" | "prefix" | "yaml">,
  publicUrl: string,
): ServedDocument {
  const [server] = document.servers;
  const url = `${publicUrl}${prefix}`;
  return {
    json: JSON.stringify({ ...document, servers: [{ ...server, url }] }),
    // The first line of this form: to parse the text and write it again takes 0.3 s and loses its layout.
    yaml: yaml.replace(`- url: ${prefix}\n`, () => `- url: ${url}\n`),
  };
}

type SystemDeps = {
  isReady: IsReady;
  shutdown: Pick<Shutdown, "begun">;
  contract: Contract;
  openaiContract: Contract;
  publicUrl: () => string;
};

/** `publicUrl` is asked when a request comes: it is known once the port is open. */
export function systemRoutes({
  isReady,
  shutdown,
  contract,
  openaiContract,
  publicUrl,
}: SystemDeps): (app: FastifyInstance) => Promise<void> {
  let served: ServedDocument | undefined;
  const document = () => (served ??= servedDocument(contract, publicUrl()));
  return async (app) => {
    app.get("/", async (request, reply) => {
      void reply.header("vary", "Accept");
      // What accepts anything is a client of the API.
      if (request.accepts().type(["application/json", "text/html"]) === "text/html")
        return reply.redirect("/dashboard");
      return {
        object: "service",
        docs: `${publicUrl()}/docs`,
        llms: `${publicUrl()}/llms.txt`,
        openapi: `${publicUrl()}/openapi.json`,
        mcp: `${publicUrl()}/mcp`,
        dashboard: `${publicUrl()}/dashboard`,
      };
    });
    app.get("/healthz", async () => ({ status: "ok" }));
    app.get("/readyz", async (_request, reply) => {
      // A load balancer can tell it from a fault: HAProxy lets requests in progress end after a 404.
      if (shutdown.begun.aborted) return reply.code(404).send({ status: "stopping" });
      if (!(await isReady())) throw new Problem("unavailable");
      return { status: "ok" };
    });
    app.get("/openapi.json", (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(document().json),
    );
    app.get("/openai/openapi.yaml", (_request, reply) =>
      reply
        .type("application/yaml; charset=utf-8")
        .send(
          servedDocument(openaiContract, publicUrl()).yaml.replaceAll(
            "./media.yaml#",
            "../openapi.yaml#",
          ),
        ),
    );
    app.get("/openapi.yaml", (_request, reply) =>
      reply.type("application/yaml; charset=utf-8").send(document().yaml),
    );
  };
}
