/** Answers reads that ask for the same at the same time with one read. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { callerOf } from "./request-state.ts";

/** No limit of its own: the load limit has refused more before. */
const MAX_TOGETHER = 100_000;

export type SharedReads = {
  /**
   * Answers with the body of `read`, in the caller's account and mode. A read that began before the request arrived is
   * never its answer, so that a client sees what it has changed.
   */
  answer: <T extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<T>,
  ) => Promise<string>;
};

export function sharedReads(): SharedReads {
  const readTogether = batchByKey<() => Promise<string>, string>({
    maxBatch: MAX_TOGETHER,
    queue: { max: MAX_TOGETHER, full: () => new Error("too many requests wait for one read") },
    failsTogether: true,
    run: async (_key, reads) => {
      const text = await reads[0]?.();
      return text === undefined ? [] : reads.map(() => text);
    },
  });
  return {
    async answer(request, reply, read) {
      const { accountId, mode } = callerOf(request);
      const key = `${accountId} ${mode} ${request.method} ${request.url}`;
      void reply.type("application/json; charset=utf-8");
      return readTogether(key, async () => serializerOf(reply)(await read()));
    },
  };
}

/** The serializer of the route's successful answers, as Fastify would choose it. */
export function serializerOf(reply: FastifyReply): (body: object) => string {
  return reply.getSerializationFunction("200", "application/json") ?? JSON.stringify;
}
