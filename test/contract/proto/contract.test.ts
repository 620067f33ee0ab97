/**
 * The four services against their protos: the callers, an empty and a broken message of each RPC; tokens, protocols and
 * the size limit of each server.
 */
import { create, type DescExtension, type DescField, type DescFile } from "@bufbuild/protobuf";
import { nestedTypes, pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { file_buf_validate_validate as theirs } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { file_buf_validate_validate as ours } from "#gen/proto/buf/validate/validate_pb.ts";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { sendByNode } from "../../support/send-by-node.ts";
import { forTests } from "../../support/for-tests.ts";
import { findRpcs, type Rpc } from "./rpcs.ts";
import {
  CALLERS,
  FOREIGN_CALLER,
  startServicesUnderTest,
  type Server,
} from "./services-under-test.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

const rpcs = await findRpcs();
const services = forTests(startServicesUnderTest);

/** Transports to a server, by protocol. */
const PROTOCOLS: Record<string, (server: Server) => Transport> = {
  Connect: (server) => createConnectTransport({ ...server, httpVersion: "2" }),
  "Connect with JSON over HTTP/1.1": ({ baseUrl }) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  gRPC: (server) => createGrpcTransport(server),
  "gRPC-Web": ({ baseUrl }) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

const rules = createValidator();

/** The header of a caller that the RPC allows. */
function authorizationFor({ callers, server }: Rpc): Promise<string> {
  const caller = CALLERS.find((name) => callers.includes(name)) ?? FOREIGN_CALLER;
  return services.authorization(caller, server);
}

/** What an empty message comes to: a code, and the fields that it is refused for, in order. */
async function outcomeOf(
  { server, method }: Rpc,
  authorization: string | undefined,
  protocol = "Connect",
) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const message = create(method.input);
  try {
    const transport = PROTOCOLS[protocol]?.(services.servers[server]);
    await transport?.unary(method, undefined, undefined, headers, message);
    return { code: "OK", fields: [] };
  } catch (error) {
    const invalid = faultsOf(error).filter(({ reason }) => reason === ErrorReason.INVALID_FIELD);
    const fields = invalid.map(({ field }) => field);
    return { code: Code[ConnectError.from(error).code], fields };
  }
}

/** By the rules of the proto. */
function expectedOf({ method: { input } }: Rpc) {
  const { violations = [] } = rules.validate(input, create(input));
  const fields = violations.map(({ field }) => pathToString(field));
  return { code: fields.length > 0 ? "InvalidArgument" : "OK", fields };
}

describe.each(rpcs)("$name", (rpc) => {
  const { method, callers, server } = rpc;

  it("allows exactly the callers of its option, and names the fields that an empty message lacks", async () => {
    expect(callers).not.toEqual([]);
    for (const caller of CALLERS) {
      const isNamed = callers.includes(caller === FOREIGN_CALLER ? "internal" : caller);
      const outcome = await outcomeOf(rpc, await services.authorization(caller, server));
      const expected = isNamed ? expectedOf(rpc) : { code: "PermissionDenied", fields: [] };
      expect({ caller, ...outcome }).toEqual({ caller, ...expected });
    }
  });

  it("refuses a body that is no message", async () => {
    const url = `${services.servers[server].baseUrl}/${rpc.service.typeName}/${method.name}`;
    const authorization = await authorizationFor(rpc);
    // The library answers binary messages that it cannot read as its own fault.
    const codes = { "application/json": "invalid_argument", "application/proto": "internal" };
    for (const [type, code] of Object.entries(codes)) {
      const headers = { "content-type": type, authorization };
      const answer = await fetch(url, { method: "POST", headers, body: "\u0007[" });
      expect(await answer.json()).toMatchObject({ code });
    }
  });
});

/** One RPC of each server that refuses an empty message. */
const refusing = SERVICES.map(
  (name) => rpcs.find((rpc) => rpc.server === name && expectedOf(rpc).fields.length > 0) as Rpc,
);

describe.each(refusing)("the server of $server", (rpc) => {
  const { server, service, method } = rpc;

  it("refuses callers without a valid token before it validates the request", async () => {
    for (const [what, authorization] of Object.entries(await services.badAuthorizations(server))) {
      const { code } = await outcomeOf(rpc, authorization);
      expect({ what, code }).toEqual({ what, code: "Unauthenticated" });
    }
  });

  it("refuses a message above its size limit as soon as its length is told", async () => {
    const url = `${services.servers[server].baseUrl}/${service.typeName}/${method.name}`;
    const headers = {
      "content-type": "application/proto",
      authorization: await authorizationFor(rpc),
      "content-length": LIMIT_BYTES + 1,
    };
    const init = { method: "POST", headers };
    const { body } = await sendByNode(url, init, (sent) => sent.write("the beginning"));
    expect(JSON.parse(body)).toMatchObject({ code: "resource_exhausted" });
  });
});

it.each(Object.entries(PROTOCOLS))(
  "a server answers, and refuses with the field's name, over %s",
  async (protocol, transportTo) => {
    const [rpc] = refusing as [Rpc];
    expect(await outcomeOf(rpc, undefined, protocol)).toMatchObject({ code: "Unauthenticated" });
    const refused = await outcomeOf(rpc, await authorizationFor(rpc), protocol);
    expect(refused).toEqual(expectedOf(rpc));
    const { check } = Health.method;
    const health = transportTo(services.servers[rpc.server]);
    const { message } = await health.unary(check, undefined, undefined, {}, create(check.input));
    expect(message).toMatchObject({ status: HealthCheckResponse_ServingStatus.SERVING });
  },
);

it("the protos declare no request that makes a service log an error", () => {
  expect(services.logged).toEqual([]);
});

/** The field's wire format and its name. */
function shapeOf({ name, number, proto, oneof }: DescField | DescExtension) {
  const { type, label, typeName, extendee } = proto;
  return { name, number, type, label, typeName, extendee, oneof: oneof?.name };
}

function fieldsOf(file: DescFile): Map<string, DescField | DescExtension> {
  const types = [...nestedTypes(file)];
  const fields = types.flatMap((type): [string, DescField | DescExtension][] => {
    if (type.kind === "extension") return [[type.typeName, type]];
    if (type.kind !== "message") return [];
    return type.fields.map((field) => [`${type.typeName}.${field.name}`, field]);
  });
  return new Map(fields);
}

describe("our subset of buf/validate/validate.proto", () => {
  const known = fieldsOf(theirs);

  it.each([...fieldsOf(ours)])("declares %s as the library does", (name, field) => {
    const inLibrary = known.get(name);
    expect(shapeOf(field)).toEqual(inLibrary && shapeOf(inLibrary));
  });

  it("declares the option that holds the rules", () => {
    expect([...fieldsOf(ours).keys()]).toContain("buf.validate.field");
  });
});
