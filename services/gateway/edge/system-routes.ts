/** Routes that no document has: probes, the specification, the index and callbacks of upstreams. */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Contract } from "./http/contract.ts";
import { Problem } from "./http/problem.ts";
import type { Deps } from "./operations/deps.ts";

/** An OpenAPI document as it is served: with the address of this service. `publicUrl` has no trailing slash. */
function servedDocument({ document, prefix, yaml }: Contract, publicUrl: string) {
  const [server] = document.servers;
  const url = `${publicUrl}${prefix}`;
  return {
    json: JSON.stringify({ ...document, servers: [{ ...server, url }] }),
    // The first line of this form: to parse the text and write it again takes 0.3 s and loses its layout.
    yaml: yaml.replace(`- url: ${prefix}\n`, () => `- url: ${url}\n`),
  };
}

/** `publicUrl` is asked when a request comes: it is known once the port is open. */
export function systemRoutes(deps: Deps & { openaiContract: Contract }) {
  const { contract, openaiContract, publicUrl } = deps;
  let served: ReturnType<typeof servedDocument> | undefined;
  const document = () => (served ??= servedDocument(contract, publicUrl()));
  return async (app: FastifyInstance): Promise<void> => {
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
      if (deps.shutdown.begun.aborted) return reply.code(404).send({ status: "stopping" });
      if (!(await deps.isReady())) throw new Problem("unavailable");
      return { status: "ok" };
    });
    app.get("/openapi.json", (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(document().json),
    );
    app.get("/openai/openapi.yaml", (_request, reply) => {
      const { yaml } = servedDocument(openaiContract, publicUrl());
      const text = yaml.replaceAll("./media.yaml#", "../openapi.yaml#");
      return reply.type("application/yaml; charset=utf-8").send(text);
    });
    app.get("/openapi.yaml", (_request, reply) =>
      reply.type("application/yaml; charset=utf-8").send(document().yaml),
    );
  };
}

/** The format of generation's callback tokens; any other is 404 without an RPC. */
const TOKEN = /^[\w-]{20,400}\.[\w-]{22}$/;
const MAX_BYTES = 1024 * 1024;
const MAX_HEADERS = 200;
/** Credentials of our own clients, which no upstream has. */
const DROPPED_HEADERS = new Set(["authorization", "cookie"]);

export function callbacks({ generation }: Deps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    // The body and the headers go on as they came: replicas of 1.0.0 check the signatures of upstreams over them.
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body);
    });
    app.post<{ Params: { token: string }; Body: Buffer | undefined }>(
      "/callbacks/:token",
      {
        bodyLimit: MAX_BYTES,
        // The token is checked before the body is read: nobody who has no callback URL makes this process hold a body.
        onRequest: async ({ params: { token } }) => {
          if (!TOKEN.test(token)) throw new Problem("route_not_found");
          await generation.checkCallback({ token }).catch(notFound);
        },
      },
      async ({ params: { token }, headers, body }, reply) => {
        const call = { token, headers: forwardedHeaders(headers), body: body ?? new Uint8Array() };
        await generation.receiveCallback(call).catch(notFound);
        return reply.code(204).send();
      },
    );
  };
}

function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && !DROPPED_HEADERS.has(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(single.slice(0, MAX_HEADERS));
}

/** A callback URL that was never issued is 404 like any unknown route. */
function notFound(error: unknown): never {
  throw reasonOf(error) === ErrorReason.NOT_FOUND ? new Problem("route_not_found") : error;
}
