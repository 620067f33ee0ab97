/** The gateway's additions to Fastify's request and route types, what is read of them, and reads that are shared. */
import ipaddr from "ipaddr.js";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Turn } from "#runtime/load-limit.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { OpenSpan } from "#runtime/tracing/tracer.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { KeyPermissions } from "../../domain/key-permissions.ts";
import type { HeldBytes } from "./json-body.ts";
import type { ErrorCode } from "../validation/checker.ts";

export type Caller = {
  accountId: string;
  mode: ModeName;
  /** Why the account may not create generations; undefined when it may. */
  restriction: "account_suspended" | "production_access_required" | undefined;
  /** Requests per minute; 0 means no limit. */
  limits: { creates: number; reads: number };
  /** Unfinished generations allowed at a time; 0 means no limit. */
  maxUnfinished: number;
  keyId?: string;
  /** What the API key may do; undefined for a user of the dashboard, whose role says it. */
  permissions?: KeyPermissions;
};

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Admits the caller again. Throws once it may no longer have answers, or nobody can say. */
    admitAgain: (() => Promise<void>) | undefined;
    /** Whether the request has passed all checks and the operation has begun. */
    isChecked: boolean;
    generationId: string | undefined;
    /** What the answer says of the problem that it is, for the request log. */
    refusal: { code: ErrorCode; message?: string; param?: string } | undefined;
    /** Set once the request is in progress. */
    turn: Turn | undefined;
    /** The bytes of its body that are in memory; set where they are counted. */
    held: HeldBytes | undefined;
    /** The span of the whole request; undefined for probes. */
    span: OpenSpan | undefined;
  }
  interface FastifyContextConfig {
    operationId?: string;
  }
}

/** The authenticated caller. Throws on routes outside of the documents, which have none. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error("this route does not authenticate");
  return request.caller;
}

/** A request to an operation, its answer, and what that is made of. */
export type Call<Deps> = { deps: Deps; request: FastifyRequest; reply: FastifyReply };

export type ShareRead = ReturnType<typeof sharedReads>;

/** A read that began before the request arrived is never its answer, so that a client sees its own changes. */
export function sharedReads() {
  const readTogether = batchByKey<() => Promise<string>, string>({
    maxBatch: Infinity,
    failsTogether: true,
    run: async (_key, reads) => {
      const text = await reads[0]?.();
      return text === undefined ? [] : reads.map(() => text);
    },
  });
  return async ({ request, reply }: Call<unknown>, read: () => Promise<object>) => {
    const { accountId, mode } = callerOf(request);
    const key = `${accountId} ${mode} ${request.method} ${request.url}`;
    void reply.type("application/json; charset=utf-8");
    return readTogether(key, async () => serializerOf(reply)(await read()));
  };
}

/** The serializer of the route's successful answers, as Fastify would choose it. */
export function serializerOf(reply: FastifyReply): (body: object) => string {
  return reply.getSerializationFunction("200", "application/json") ?? JSON.stringify;
}

/** An IPv4 address as it is, of an IPv6 address its /64. A connection that was reset has no address. */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return "";
  // An IPv4 address, which is not looked at for each request.
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
