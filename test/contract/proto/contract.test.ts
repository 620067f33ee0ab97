/** The four services against their protos: callers, an empty message of each RPC, tokens, protocols and size limits. */
import { join } from "node:path";
import { create, type DescExtension, type DescField, type DescFile } from "@bufbuild/protobuf";
import { nestedTypes, pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { file_buf_validate_validate as theirs } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { SignJWT, importJWK } from "jose";
import { inject } from "vitest";
import { file_buf_validate_validate as ours } from "#gen/proto/buf/validate/validate_pb.ts";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { natsAt } from "#runtime/events/config.ts";
import { createLog } from "#runtime/log.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { generateIdentity, tokenIssuer } from "#runtime/rpc/service-token.ts";
import { SERVICES, type ServiceName } from "#runtime/service/service.ts";
import { openIdentities } from "../../../services/ops/setup/identities.ts";
import { startServices } from "../../../services/standalone/processes/services.ts";
import { readConfig } from "../../../services/standalone/settings/config.ts";
import { testDatabases } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { sendByNode } from "../../support/send-by-node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { findRpcs, type Rpc } from "./rpcs.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

/** A caller that is not one of our services. */
const FOREIGN_CALLER = "partner";
const CALLERS = [...SERVICES, "ops", FOREIGN_CALLER] as const;

/** One session for all calls. */
type Server = { baseUrl: string; sessionManager: Http2SessionManager };

const rpcs = await findRpcs();
/** What the services logged as errors. */
const logged: string[] = [];
const shared = forTests(async (stack) => {
  const { path: dataDir } = stack.use(await temporaryFolder());
  const { urls: databases } = stack.use(await testDatabases());
  const { keys } = await openIdentities(join(dataDir, "keys"));
  const log = createLog("services", "error", { write: (line) => void logged.push(line) });
  const config = readConfig({
    DATA_DIR: dataDir,
    SIMULATOR_RENDER: "fixture",
    SIMULATOR_PACE_MS: "0",
    LOG_LEVEL: "error",
  });
  const setup = { databases, nats: natsAt(inject("natsUrl")), port: 0, dataDir };
  const { rpcUrls } = stack.use(await startServices(config, setup, log));
  const serverOf = (name: ServiceName): [ServiceName, Server] => {
    const [baseUrl] = rpcUrls[name];
    const sessionManager = new Http2SessionManager(baseUrl);
    stack.defer(() => sessionManager.abort());
    return [name, { baseUrl, sessionManager }];
  };
  const servers = Object.fromEntries(SERVICES.map(serverOf)) as Record<ServiceName, Server>;
  return { keys, servers };
});

/** Transports to a server, by protocol. */
const PROTOCOLS: Record<string, (server: Server) => Transport> = {
  Connect: (server) => createConnectTransport({ ...server, httpVersion: "2" }),
  "Connect with JSON over HTTP/1.1": ({ baseUrl }) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  gRPC: (server) => createGrpcTransport(server),
  "gRPC-Web": ({ baseUrl }) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

const rules = createValidator();

/** The Authorization header of a caller for one of the services. */
async function headerOf(caller: (typeof CALLERS)[number], server: ServiceName): Promise<string> {
  // The operator's key signs for callers that have none.
  const by = caller === FOREIGN_CALLER ? shared.keys.ops : shared.keys[caller];
  return `Bearer ${await tokenIssuer(by, systemClock)({ caller, audience: server })}`;
}

/** Invalid Authorization headers for a service, by what is wrong with them; undefined sends none. */
async function badAuthorizations(server: ServiceName): Promise<Record<string, string | undefined>> {
  const { privateKey: untrusted } = await generateIdentity("ops");
  const key = await importJWK(shared.keys.ops, "EdDSA");
  const now = Math.floor(systemClock.now().getTime() / 1000);
  const header = { alg: "EdDSA", kid: shared.keys.ops.kid ?? "" };
  const other = SERVICES.find((name) => name !== server) ?? "billing";
  const issued = async (by: typeof untrusted, caller: string, audience: string = server) =>
    `Bearer ${await tokenIssuer(by, systemClock)({ caller, audience })}`;
  const signed = async (claims: Record<string, unknown>) => {
    const all = { sub: "ops", aud: server, iat: now, exp: now + 3_600, ...claims };
    return `Bearer ${await new SignJWT(all).setProtectedHeader(header).sign(key)}`;
  };
  const good = await issued(shared.keys.ops, "ops");
  const [, body = ""] = good.split(".");
  const unsigned = Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url");
  return {
    "no token": undefined,
    "an empty token": "Bearer ",
    "another scheme": good.replace("Bearer", "Basic"),
    garbage: "Bearer garbage",
    "an expired token": await signed({ exp: now - 1 }),
    "a token that was issued five minutes ago": await signed({ iat: now - 300 }),
    "a token that is issued in the future": await signed({ iat: now + 3_000 }),
    "a token that does not say when it was issued": await signed({ iat: undefined }),
    "a token that never expires": await signed({ exp: undefined }),
    "a token for another service": await issued(shared.keys.ops, "ops", other),
    "a token for nobody": await signed({ aud: undefined }),
    "a token signed by a key that is not trusted": await issued(untrusted, "ops"),
    "a token that names another service than its signer": await issued(
      shared.keys.gateway,
      "generation",
    ),
    "a token of operations that names a service": await issued(shared.keys.ops, "generation"),
    "a token without its signature": good.slice(0, good.lastIndexOf(".") + 1),
    "a token that says it needs no signature": `Bearer ${unsigned}.${body}.`,
  };
}

/** The header of a caller that the RPC allows. */
function authorizationFor({ callers, server }: Rpc): Promise<string> {
  const caller = CALLERS.find((name) => callers.includes(name)) ?? FOREIGN_CALLER;
  return headerOf(caller, server);
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
    const transport = PROTOCOLS[protocol]?.(shared.servers[server]);
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
  const { callers, server } = rpc;

  it("allows exactly the callers of its option, and names the fields that an empty message lacks", async () => {
    expect(callers).not.toEqual([]);
    for (const caller of CALLERS) {
      const isNamed = callers.includes(caller === FOREIGN_CALLER ? "internal" : caller);
      const outcome = await outcomeOf(rpc, await headerOf(caller, server));
      const expected = isNamed ? expectedOf(rpc) : { code: "PermissionDenied", fields: [] };
      expect({ caller, ...outcome }).toEqual({ caller, ...expected });
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
    for (const [what, authorization] of Object.entries(await badAuthorizations(server))) {
      const { code } = await outcomeOf(rpc, authorization);
      expect({ what, code }).toEqual({ what, code: "Unauthenticated" });
    }
  });

  it("refuses a message above its size limit as soon as its length is told", async () => {
    const url = `${shared.servers[server].baseUrl}/${service.typeName}/${method.name}`;
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
    const health = transportTo(shared.servers[rpc.server]);
    const { message } = await health.unary(check, undefined, undefined, {}, create(check.input));
    expect(message).toMatchObject({ status: HealthCheckResponse_ServingStatus.SERVING });
  },
);

it("the protos declare no request that makes a service log an error", () => {
  expect(logged).toEqual([]);
});

/** The field's wire format and its name. */
function shapeOf({ name, number, proto, oneof }: DescField | DescExtension) {
  const { type, label, typeName, extendee } = proto;
  return { name, number, type, label, typeName, extendee, oneof: oneof?.name };
}

/** The shapes of its fields by their names. */
function fieldsOf(file: DescFile) {
  const fields = [...nestedTypes(file)].flatMap((type) => {
    if (type.kind === "extension") return [[type.typeName, shapeOf(type)] as const];
    if (type.kind !== "message") return [];
    return type.fields.map((field) => [`${type.typeName}.${field.name}`, shapeOf(field)] as const);
  });
  return Object.fromEntries(fields);
}

it("our subset of buf/validate/validate.proto declares its fields as the library does, with the option for rules", () => {
  const [known, subset] = [fieldsOf(theirs), fieldsOf(ours)];
  expect(subset).toHaveProperty(["buf.validate.field"]);
  const inLibrary = Object.keys(subset).map((name) => [name, known[name]]);
  expect(subset).toEqual(Object.fromEntries(inLibrary));
});
