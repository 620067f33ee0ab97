/** Serves liveness, readiness and the public OpenAPI document. */
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";

export function systemRoutes({ isReady, contract }: Deps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.get("/healthz", async () => ({ status: "ok" }));
    app.get("/readyz", async () => {
      if (!(await isReady())) throw new Problem("unavailable");
      return { status: "ok" };
    });
    app.get("/openapi.json", (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(contract.json),
    );
    app.get("/openapi.yaml", (_request, reply) =>
      reply.type("application/yaml; charset=utf-8").send(contract.yaml),
    );
  };
}
