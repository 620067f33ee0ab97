/** Every operation of both documents, against bodies, forms and queries that are made to be expensive. */
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { fastify, type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLog } from "#runtime/log.ts";
import { loadContract, type Contract } from "../../../services/gateway/edge/http/contract.ts";
import { uploadMemory } from "../../../services/gateway/edge/http/upload-memory.ts";
import {
  operationsOf,
  type DocumentOperation,
} from "../../../services/gateway/edge/http/document-operations.ts";
import { documentRoutes } from "../../../services/gateway/edge/http/document-routes.ts";
import { createErrorHandler } from "../../../services/gateway/edge/http/error-handler.ts";
import { costFault } from "./cost.ts";
import { hostileBodies, hostileForms, hostileQueries, hostileValues } from "./hostile-requests.ts";
import type { HostileText } from "./hostile-texts.ts";
import { sampleOf, type Schema } from "./sample.ts";
import { isLong } from "../../support/test-size.ts";
import { allowNone } from "#runtime/address.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

/** Every fault is reported of the first, one of the second. */
const BODY_BYTES = [16_000, isLong ? 250_000 : 64_000];
/** Forms are tried at their largest size, or with this many bytes. */
const MAX_FORM_BYTES = isLong ? Infinity : 4_000_000;
/** Node accepts 16 KiB of path and headers. */
const QUERY_BYTES = 15_000;

const none = () => "";
const CONTRACTS = {
  media: loadContract("media", allowNone, none),
  dashboard: loadContract("dashboard", allowNone, none),
  openai: loadContract("openai", allowNone, none),
};

/** What a socket delivers at a time. */
const READ_BYTES = 65_536;

/** A form is read while it arrives, each part in a turn of its own. */
function asItArrives(body: string | Buffer): string | Readable {
  return typeof body === "string" ? body : Readable.from(partsOf(body));
}

async function* partsOf(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += READ_BYTES) {
    await turn();
    yield body.subarray(at, at + READ_BYTES);
  }
}

/** An app that serves a document as the gateway does, but lets everybody in and does nothing. */
async function serverOf(contract: Contract): Promise<FastifyInstance> {
  const app = fastify({ routerOptions: { maxParamLength: 64 * 1024 } });
  for (const name of ["caller", "turn", "held"]) app.decorateRequest(name, undefined);
  app.decorateRequest("isChecked", false);
  app.setErrorHandler(createErrorHandler(contract, createLog("test", "silent")));
  const limits = { creates: 0, reads: 0 };
  const caller = { accountId: "a", mode: "test" as const, limits, maxUnfinished: 0 };
  documentRoutes(app, {
    contract,
    memory: uploadMemory(),
    admit: async (request) => {
      request.caller = { ...caller, restriction: undefined };
      return undefined;
    },
    handlerOf: () => async (_request, reply) => reply.code(204).send(),
  });
  await app.ready();
  return app;
}

/** The values that were tried, each with what a schema sees of it: in another field of that kind it costs the same. */
const known = new Set<string>();

/** The whole schema if the value is of its type, else only what is checked of every value. */
function seenBy(schema: Schema, value: string): string {
  const ofValue =
    { '"': /string/, "[": /array/, "{": /object/ }[value.slice(0, 1)] ?? /number|integer/;
  const isWhole =
    ofValue.test(String(schema.type)) || COMBINED.some((keyword) => keyword in schema);
  return JSON.stringify(
    isWhole
      ? { ...schema, description: undefined }
      : { type: schema.type, isEnum: "enum" in schema },
  );
}

const COMBINED = ["const", "allOf", "oneOf", "anyOf", "not", "if"];

describe.each(["media", "dashboard", "openai"] as const)("of openapi/%s.yaml", (name) => {
  const contract = CONTRACTS[name];
  const operations = operationsOf(contract.document);
  let app: FastifyInstance;
  beforeAll(async () => {
    app = await serverOf(contract);
  });
  afterAll(() => app.close());

  const send = (
    { method, url }: DocumentOperation,
    query: string,
    body?: string | Buffer,
    type = "",
  ) =>
    app.inject({
      method,
      url: `${url.replaceAll(/:\w+/g, "x")}${query}`,
      ...(body === undefined
        ? {}
        : { payload: asItArrives(body), headers: { "content-type": type } }),
    });

  /** The faults of texts that are sent as a body of the operation. */
  async function faultsOf<T extends string | Buffer>(
    operation: DocumentOperation,
    type: string,
    texts: readonly { name: string; of: (length: number) => T }[],
    sizes: readonly number[],
  ): Promise<string[]> {
    const faults: string[] = [];
    const read = (body: T) => send(operation, "", body, type);
    for (const size of sizes) {
      for (const { name: what, of } of texts) {
        const fault = await costFault({ input: of, read }, size);
        if (fault !== undefined) faults.push(`${what} of ${size} bytes ${fault}`);
      }
    }
    return faults;
  }

  const withBody = operations.flatMap((one) => (one.body ? [{ id: one.id, operation: one }] : []));
  it.each(withBody)("the body of $id", async ({ operation }) => {
    const schema = operation.body as Schema;
    const sample = sampleOf(schema) as Record<string, unknown>;
    const fields = Object.entries(schema.properties ?? {}).flatMap(([field, of]): HostileText[] => {
      const values = hostileValues(of).filter((value) => {
        const key = `${value.name} ${seenBy(of, value.of(100))}`;
        return !known.has(key) && known.add(key);
      });
      return values.map((value) => ({
        name: `${field} ${value.name}`,
        of: (length) => {
          const { [field]: _, ...others } = sample;
          // The field is the last one, so that what is checked before it is right.
          return `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? "," : ""}${JSON.stringify(field)}:${value.of(length)}}`;
        },
      }));
    });
    // What they cost does not depend on the operation, but for what its schema makes of unknown fields.
    const bodies =
      operation === withBody[0]?.operation ? hostileBodies() : hostileBodies().slice(0, 1);
    const texts = [...bodies, ...fields];
    expect(await faultsOf(operation, "application/json", texts, BODY_BYTES)).toEqual([]);
  });

  const withForm = operations.flatMap((operation) => {
    const form = operation.upload ?? operation.form;
    return form ? [{ id: operation.id, operation, form }] : [];
  });
  it.each(withForm)("the form of $id", async ({ operation, form }) => {
    const type = "multipart/form-data; boundary=--x";
    const forms = hostileForms("--x");
    const size = Math.min(form.maxBytes, MAX_FORM_BYTES);
    expect(await faultsOf(operation, type, forms, [size])).toEqual([]);
  });

  it.each(operations.map((one) => ({ id: one.id, operation: one })))(
    "the query and path of $id",
    async ({ operation }) => {
      const names = Object.keys(operation.query.properties ?? {});
      const faults: string[] = [];
      for (const { name: what, of } of hostileQueries(names)) {
        const read = (query: string) => send(operation, query);
        const fault = await costFault({ input: of, read }, QUERY_BYTES);
        if (fault !== undefined) faults.push(`${what} ${fault}`);
      }
      expect(faults).toEqual([]);
    },
  );
});
