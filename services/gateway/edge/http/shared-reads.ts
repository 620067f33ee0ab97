/** Answers reads: those that ask for the same at the same time with one read, and what is final from memory. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { callerOf } from "./request-state.ts";

/** The size of all kept answers; the least recently used go first. */
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024;
const MODES: readonly ModeName[] = ["live", "test"];
/** How long an answer is kept: a process that does not hear of a deletion answers with it no longer. */
const KEEP_MS = 30_000;
/** No limit of its own: the load limit has refused more before. */
const MAX_TOGETHER = 100_000;

export type SharedReads = {
  /**
   * Answers with the body of `read`, in the caller's account and mode. A read that began before the request arrived is
   * never its answer, so that a client sees what it has changed. The body of a generation that `isFinal` changes only
   * by its deletion, and is kept for the next requests.
   */
  answer: <T extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<T>,
    isFinal?: (body: T) => boolean,
  ) => Promise<string>;
  /** Keeps nothing of a generation that was deleted, also not the answer of a read that runs now. */
  forget: (accountId: string, generationId: string) => void;
};

/** Kept in place of the answer about a deleted generation, so that an earlier read does not put it back. */
const DELETED = "";

export function sharedReads(clock: Pick<Clock, "now">): SharedReads {
  const kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: (text, key) => text.length + key.length,
    ttl: KEEP_MS,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  });
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
    async answer(request, reply, read, isFinal = () => false) {
      const { accountId, mode } = callerOf(request);
      const key = `${accountId} ${mode} ${request.method} ${request.url}`;
      const name = nameOf(accountId, mode, request.generationId ?? "");
      void reply.type("application/json; charset=utf-8");
      const final = kept.get(name);
      if (final !== undefined && final !== DELETED) return final;
      return readTogether(key, async () => {
        const body = await read();
        const text = serializerOf(reply)(body);
        if (isFinal(body) && kept.get(name) !== DELETED) kept.set(name, text);
        return text;
      });
    },
    forget(accountId, generationId) {
      for (const mode of MODES) kept.set(nameOf(accountId, mode, generationId), DELETED);
    },
  };
}

function nameOf(accountId: string, mode: ModeName, generationId: string): string {
  return `${accountId} ${mode} ${generationId}`;
}

/** The serializer of the route's successful answers, as Fastify would choose it. */
function serializerOf(reply: FastifyReply): (body: object) => string {
  return reply.getSerializationFunction("200", "application/json") ?? JSON.stringify;
}
