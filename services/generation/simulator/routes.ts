/** The HTTP API of the simulated provider. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fastify } from "fastify";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { FileUrls } from "./file-url.ts";
import { stateAt } from "./job.ts";
import type { Job, JobRequest } from "./job.ts";
import { fileQuerySchema, jobListSchema, newJobSchema } from "./job-schema.ts";
import type { JobStore } from "./job-store.ts";
import { planOf } from "./plan.ts";
import { seedOf } from "./scene/random.ts";
import type { Studio } from "./studio.ts";

export type RouteDeps = {
  readonly jobs: JobStore;
  readonly studio: Studio;
  readonly urls: FileUrls;
  readonly clock: Clock;
  readonly log: Log;
  readonly newJobId: () => string;
  /** The address that file addresses begin with; known once the server listens. */
  readonly baseUrl: () => string;
};

export type RouteConfig = {
  readonly directory: string;
  readonly paceMs: number;
  readonly urlTtlMs: number;
};

type WithId = { Params: { id: string } };

export function createServer(config: RouteConfig, deps: RouteDeps): FastifyInstance {
  const { jobs, studio, urls, clock } = deps;
  const server = fastify({
    forceCloseConnections: true,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } },
  });
  const view = (job: Job) => viewAt(job, clock.now(), config, deps);

  // Clients name a JSON body also where they send none, as with a cancel.
  const parseJson = server.getDefaultJsonParser("error", "error");
  server.removeContentTypeParser("application/json");
  server.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, body, done) => {
      if (body === "") done(null, undefined);
      else void parseJson(request, body, done);
    },
  );
  server.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) deps.log.error({ err: error }, "the simulator could not answer");
    return refuse(reply, status, status >= 500 ? "internal" : "invalid_request", error.message);
  });
  server.setNotFoundHandler((_request, reply) => notFound(reply));

  server.post<{ Body: JobRequest }>(
    "/jobs",
    { schema: { body: newJobSchema } },
    async ({ body }, reply) => {
      const job: Job = {
        id: deps.newJobId(),
        request: body,
        seed: body.seed ?? seedOf(body.prompt),
        plan: planOf(body.kind, body.simulate, config.paceMs),
        created_at: clock.now().toISOString(),
      };
      await jobs.save(job);
      studio.begin(job);
      return reply.code(201).send(view(job));
    },
  );

  server.get<{ Querystring: { client_token: string } }>(
    "/jobs",
    { schema: { querystring: jobListSchema } },
    ({ query }, reply) => reply.send({ jobs: jobs.withClientToken(query.client_token).map(view) }),
  );

  server.get<WithId>("/jobs/:id", ({ params }, reply) => {
    const job = jobs.get(params.id);
    return job === undefined ? notFound(reply) : reply.send(view(job));
  });

  server.post<WithId>("/jobs/:id/cancel", async ({ params }, reply) => {
    const job = jobs.get(params.id);
    if (job === undefined) return notFound(reply);
    const now = clock.now();
    const { status } = stateAt(job, now);
    if (status !== "queued" && status !== "running") {
      return refuse(reply, 409, "not_cancelable", `the job is ${status} already`);
    }
    const canceled = { ...job, canceled_at: now.toISOString() };
    studio.abandon(job.id);
    await jobs.save(canceled);
    return reply.send(view(canceled));
  });

  server.get<WithId & { Querystring: { expires?: string; signature?: string } }>(
    "/files/:id",
    { schema: { querystring: fileQuerySchema } },
    async ({ params, query }, reply) => {
      const { expires = "", signature = "" } = query;
      if (!urls.isGood(params.id, expires, signature, clock.now())) {
        return refuse(reply, 403, "forbidden", "the address has expired or is not signed rightly");
      }
      const job = jobs.get(params.id);
      if (job?.file === undefined) return notFound(reply);
      const file = await open(join(config.directory, job.file)).catch(() => undefined);
      if (file === undefined) return notFound(reply);
      const { size } = await file.stat();
      reply.type(contentTypeOf(job)).header("content-length", size);
      return reply.send(file.createReadStream());
    },
  );
  return server;
}

function viewAt(job: Job, now: Date, { urlTtlMs }: RouteConfig, { urls, baseUrl }: RouteDeps) {
  const { request, seed, id, created_at } = job;
  const state = stateAt(job, now);
  const common = { id, ...state, ...request, seed, created_at };
  if (state.status !== "succeeded") return common;
  const expiresAt = addMs(now, urlTtlMs);
  const output = {
    url: baseUrl() + urls.sign(id, expiresAt),
    content_type: contentTypeOf(job),
    expires_at: expiresAt.toISOString(),
  };
  return { ...common, output };
}

function contentTypeOf({ request }: Job): string {
  return request.kind === "video" ? "video/mp4" : "image/png";
}

function notFound(reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, "not_found", "there is no such thing here");
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}
