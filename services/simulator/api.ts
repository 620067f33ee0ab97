/** The simulator's HTTP API. */
import { fastify, type FastifyInstance, type FastifyReply } from "fastify";
import { type Clock, addMs } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { SimulatorConfig } from "./config.ts";
import {
  jobOf,
  needsPicture,
  stateAt,
  type Job,
  type JobRequest,
  picturesOf,
  MAX_JOB_ID_LENGTH,
} from "./job.ts";
import type { PictureFiles } from "./picture-files.ts";
import type { Picture } from "./render/picture.ts";
import type { Sealer } from "./sealing.ts";

export type ApiDeps = {
  readonly config: Pick<SimulatorConfig, "paceMs" | "urlTtlMs">;
  readonly files: PictureFiles;
  /** The id of a job is the job. */
  readonly jobs: Sealer<Job>;
  readonly addresses: Sealer<FileAddress>;
  readonly clock: Clock;
  readonly log: Log;
  /** The address that file addresses begin with; known once the server listens. */
  readonly baseUrl: () => string;
};

/** What the address of a file carries: what it shows, and until when it is served. */
type FileAddress = { readonly picture: Picture; readonly expires_at_ms: number };

/** The fields of a job that is asked for. */
const NEW_JOB = {
  type: "object",
  required: ["client_token", "submitted_at_ms", "kind", "model", "prompt", "width", "height"],
  properties: {
    client_token: { type: "string", minLength: 1, maxLength: 256 },
    submitted_at_ms: { type: "integer", minimum: 0, maximum: 8_640_000_000_000_000 },
    kind: { enum: ["video", "image"] },
    model: { type: "string" },
    prompt: { type: "string" },
    negative_prompt: { type: "string" },
    width: { type: "integer", minimum: 16, maximum: 4096 },
    height: { type: "integer", minimum: 16, maximum: 4096 },
    duration_seconds: { type: "integer", minimum: 0, maximum: 60 },
    seed: { type: "integer", minimum: 0, maximum: 2147483647 },
    count: { type: "integer", minimum: 1, maximum: 4 },
    background: { enum: ["opaque", "transparent"] },
    output_format: { enum: ["png", "jpeg", "webp"] },
  },
  anyOf: [
    { properties: { kind: { const: "image" } } },
    // H.264 in 4:2:0 has no odd sizes.
    {
      required: ["duration_seconds"],
      properties: {
        width: { multipleOf: 2 },
        height: { multipleOf: 2 },
        duration_seconds: { minimum: 1 },
      },
    },
  ],
};

type WithId = { Params: { id: string } };

export function createApi(deps: ApiDeps): FastifyInstance {
  const { config, files, jobs, addresses, clock } = deps;
  const server = fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: MAX_JOB_ID_LENGTH },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } },
  });
  // Replicas of 1.0.0 announce a JSON body with a cancel, and send none.
  server.addHook("onRequest", async ({ headers }) => {
    if (headers["content-length"] === "0") delete headers["content-type"];
  });
  server.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) deps.log.error({ err: error }, "the simulator could not answer");
    return refuse(reply, status, status >= 500 ? "internal" : "invalid_request", error.message);
  });
  server.setNotFoundHandler((_request, reply) => notFound(reply));

  server.get("/health", (_request, reply) => reply.send({ status: "ok" }));

  server.post<{ Body: JobRequest }>("/jobs", { schema: { body: NEW_JOB } }, ({ body }, reply) => {
    const job = jobOf(body, config.paceMs);
    const pictures = needsPicture(job.plan) ? picturesOf(job) : [];
    for (const picture of pictures) files.prepare(picture);
    return reply.send(viewNow(deps, jobs.seal(job), job));
  });

  server.get<WithId>("/jobs/:id", ({ params: { id } }, reply) => {
    const job = jobs.unseal(id);
    return job === undefined ? notFound(reply) : reply.send(viewNow(deps, id, job));
  });

  server.post<WithId>("/jobs/:id/cancel", ({ params: { id } }, reply) => {
    const job = jobs.unseal(id);
    if (job === undefined) return notFound(reply);
    const { status, progress } = stateAt(job, clock.now());
    if (status !== "queued" && status !== "running") {
      return refuse(reply, 409, "not_cancelable", "the job is over");
    }
    return reply.send({ ...common(id, job), status: "canceled", progress });
  });

  server.get<WithId>("/files/:id", async ({ params: { id } }, reply) => {
    const address = addresses.unseal(id);
    if (address === undefined || clock.now().getTime() >= address.expires_at_ms) {
      return refuse(reply, 403, "forbidden", "the address has expired or is not one of ours");
    }
    const file = await files.open(address.picture);
    const { size } = await file.stat();
    reply.type(contentTypeOf(address.picture)).header("content-length", size);
    return reply.send(file.createReadStream());
  });
  return server;
}

/** A job whose time is over succeeds only when its files are made. */
function viewNow(deps: ApiDeps, id: string, job: Job) {
  const now = deps.clock.now();
  const state = stateAt(job, now);
  if (state.status !== "succeeded") return { ...common(id, job), ...state };
  const pictures = picturesOf(job);
  const files = pictures.map((picture) => deps.files.prepare(picture));
  const fault = files.find((file) => file instanceof Error);
  if (fault) {
    const message = `the picture could not be made: ${fault.message}`;
    const error = { code: "upstream_failed", message };
    return { ...common(id, job), status: "failed", progress: 99, error };
  }
  if (files.includes("making")) return { ...common(id, job), status: "running", progress: 99 };
  const expiresAt = addMs(now, deps.config.urlTtlMs);
  const expires_at_ms = expiresAt.getTime();
  const urls = pictures.map(
    (picture) => `${deps.baseUrl()}/files/${deps.addresses.seal({ picture, expires_at_ms })}`,
  );
  const output = {
    urls,
    content_type: contentTypeOf(job.picture),
    expires_at: expiresAt.toISOString(),
  };
  return { ...common(id, job), ...state, output };
}

function common(id: string, { submitted_at_ms, picture }: Job) {
  return { id, kind: picture.kind, submitted_at_ms };
}

function contentTypeOf(picture: Picture): string {
  return picture.kind === "video" ? "video/mp4" : `image/${picture.format ?? "png"}`;
}

function notFound(reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, "not_found", "there is no such resource");
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}
