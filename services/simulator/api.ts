/** The simulator's HTTP API. */
import { fastify, type FastifyInstance, type FastifyReply } from "fastify";
import { type Clock, addMs } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { filePathOf, isValidFileAddress, type Signer } from "./signing.ts";
import {
  jobOf,
  stateAt,
  type Job,
  type JobRequest,
  type JobState,
  jobIdOf,
  jobOfId,
  picturesOf,
  MAX_JOB_ID_LENGTH,
} from "./job.ts";
import type { PictureFiles } from "./picture-files.ts";
import { needsPicture } from "./plan.ts";
import type { Picture } from "./render/picture.ts";
import { fileQuerySchema, newJobSchema } from "./request-schemas.ts";
import type { Sealer } from "./sealing.ts";

export type ApiDeps = {
  readonly files: PictureFiles;
  readonly sealer: Sealer;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly log: Log;
  /** The address that file addresses begin with; known once the server listens. */
  readonly baseUrl: () => string;
};

export type ApiConfig = {
  readonly paceMs: number;
  readonly urlTtlMs: number;
};

type WithId = { Params: { id: string } };
type Address = { expires?: string; signature?: string; index?: string };

export function createApi(config: ApiConfig, deps: ApiDeps): FastifyInstance {
  const { files, sealer, signer, clock } = deps;
  const server = fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: MAX_JOB_ID_LENGTH },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } },
  });
  acceptEmptyJson(server);
  server.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) deps.log.error({ err: error }, "the simulator could not answer");
    return refuse(reply, status, status >= 500 ? "internal" : "invalid_request", error.message);
  });
  server.setNotFoundHandler((_request, reply) => notFound(reply));

  server.get("/health", (_request, reply) => reply.send({ status: "ok" }));

  server.post<{ Body: JobRequest }>(
    "/jobs",
    { schema: { body: newJobSchema } },
    async ({ body }, reply) => {
      const job = jobOf(body, config.paceMs);
      if (needsPicture(job.plan)) {
        await Promise.all(picturesOf(job).map((picture) => files.prepare(picture)));
      }
      return reply.send(await viewNow(jobIdOf(job, sealer), job, config, deps));
    },
  );

  server.get<WithId>("/jobs/:id", async ({ params: { id } }, reply) => {
    const job = jobOfId(id, sealer);
    return job === undefined ? notFound(reply) : reply.send(await viewNow(id, job, config, deps));
  });

  server.post<WithId>("/jobs/:id/cancel", ({ params: { id } }, reply) => {
    const job = jobOfId(id, sealer);
    if (job === undefined) return notFound(reply);
    const { status, progress } = stateAt(job, clock.now());
    if (status !== "queued" && status !== "running") {
      return refuse(reply, 409, "not_cancelable", "the job is over");
    }
    return reply.send({ ...common(id, job), status: "canceled", progress });
  });

  server.get<WithId & { Querystring: Address }>(
    "/files/:id",
    { schema: { querystring: fileQuerySchema } },
    async (
      { params: { id: jobId }, query: { expires = "", signature = "", index = "0" } },
      reply,
    ) => {
      if (!isValidFileAddress({ jobId, expires, signature }, clock.now(), signer)) {
        return refuse(reply, 403, "forbidden", "the address has expired or is not signed by us");
      }
      const job = jobOfId(jobId, sealer);
      if (job === undefined) return notFound(reply);
      const picture = picturesOf(job)[Number(index)];
      if (picture === undefined) return notFound(reply);
      const file = await files.open(picture);
      const { size } = await file.stat();
      reply.type(contentTypeOf(picture)).header("content-length", size);
      return reply.send(file.createReadStream());
    },
  );
  return server;
}

/** Some clients announce a JSON body and send none, e.g. with a cancel. */
function acceptEmptyJson(server: FastifyInstance): void {
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
}

async function viewNow(id: string, job: Job, config: ApiConfig, deps: ApiDeps) {
  const now = deps.clock.now();
  const planned = stateAt(job, now);
  const state =
    planned.status === "succeeded" ? await withFiles(job, planned, deps.files) : planned;
  if (state.status !== "succeeded") return { ...common(id, job), ...state };
  const expiresAt = addMs(now, config.urlTtlMs);
  const url = deps.baseUrl() + filePathOf(id, expiresAt, deps.signer);
  const output = {
    url,
    urls: picturesOf(job).map((_, index) => (index === 0 ? url : `${url}&index=${index}`)),
    content_type: contentTypeOf(job.picture),
    expires_at: expiresAt.toISOString(),
  };
  return { ...common(id, job), ...state, output };
}

/** A job whose time is over succeeds only when its files are made. */
async function withFiles(job: Job, succeeded: JobState, files: PictureFiles): Promise<JobState> {
  const prepared = await Promise.all(picturesOf(job).map((picture) => files.prepare(picture)));
  const failed = prepared.find((file) => file.kind === "failed");
  if (failed) {
    const message = `the picture could not be made: ${failed.reason}`;
    return { status: "failed", progress: 99, error: { code: "upstream_failed", message } };
  }
  const isMade = prepared.every(({ kind }) => kind === "made");
  return isMade ? succeeded : { status: "running", progress: 99 };
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
