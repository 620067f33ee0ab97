/**
 * The four services against their protos: the callers, an empty and a broken message of each RPC; tokens, protocols and
 * the size limit of each server.
 */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { forTests } from "../../support/for-tests.ts";
import { outcomeOf, PROTOCOLS, type Outcome, type Protocol } from "./protocols.ts";
import { findRpcs, type Rpc } from "./rpcs.ts";
import { CALLERS, FOREIGN_CALLER, startServicesUnderTest } from "./services-under-test.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

const rpcs = await findRpcs();
const services = forTests(startServicesUnderTest);

const rules = createValidator();

/** The fields that the rules of the proto refuse in an empty message. */
function faultsOfEmptyMessage({ input }: DescMethodUnary): string[] {
  const result = rules.validate(input, create(input));
  return (result.violations ?? []).map(({ field }) => pathToString(field));
}

/** The header of a caller that the RPC allows. */
function authorizationFor({ callers, server }: Rpc): Promise<string> {
  const caller = CALLERS.find((name) => callers.includes(name)) ?? FOREIGN_CALLER;
  return services.authorization(caller, server);
}

/** Calls as a caller that the RPC allows. */
async function call(rpc: Rpc, message: Message, protocol: Protocol = "connect"): Promise<Outcome> {
  return callWith(rpc, message, await authorizationFor(rpc), protocol);
}

function callWith(
  { server, method }: Rpc,
  message: Message,
  authorization: string | undefined,
  protocol: Protocol = "connect",
): Promise<Outcome> {
  const transport = services.protocols[server].transports[protocol];
  return outcomeOf(transport, method, message, authorization);
}

/** What an empty message comes to: the fields that it is refused for, in order. */
function emptyOutcome({ code, faults }: Outcome) {
  const invalid = faults.filter(({ reason }) => reason === ErrorReason.INVALID_FIELD);
  return { code, fields: invalid.map(({ field }) => field) };
}

function expectedForEmpty({ method }: Rpc) {
  const fields = faultsOfEmptyMessage(method);
  return { code: fields.length > 0 ? "InvalidArgument" : "OK", fields };
}

describe.each(rpcs)("$name", (rpc) => {
  const { method, callers, server } = rpc;
  const empty = create(method.input);

  it("allows exactly the callers of its option, and names the fields that an empty message lacks", async () => {
    expect(callers).not.toEqual([]);
    for (const caller of CALLERS) {
      const isNamed = callers.includes(caller === FOREIGN_CALLER ? "internal" : caller);
      const outcome = await callWith(rpc, empty, await services.authorization(caller, server));
      const expected = isNamed ? expectedForEmpty(rpc) : { code: "PermissionDenied", fields: [] };
      expect({ caller, ...emptyOutcome(outcome) }).toEqual({ caller, ...expected });
    }
  });

  it("refuses a body that is no message", async () => {
    const url = `${services.urls[server][0]}/${rpc.service.typeName}/${method.name}`;
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

describe.each(SERVICES)("the server of %s", (server) => {
  const own = rpcs.filter((rpc) => rpc.server === server);
  /** One that refuses an empty message. */
  const rpc = own.find(({ method }) => faultsOfEmptyMessage(method).length > 0) as Rpc;
  const empty = create(rpc.method.input);

  it("refuses callers without a valid token before it validates the request", async () => {
    for (const [what, authorization] of Object.entries(await services.badAuthorizations(server))) {
      const { code } = await callWith(rpc, empty, authorization);
      expect({ what, code }).toEqual({ what, code: "Unauthenticated" });
    }
  });

  it.each(PROTOCOLS)("answers, and refuses with the field's name, over %s", async (protocol) => {
    expect(await callWith(rpc, empty, undefined, protocol)).toMatchObject({
      code: "Unauthenticated",
    });
    expect(emptyOutcome(await call(rpc, empty, protocol))).toEqual(expectedForEmpty(rpc));
    const { method } = Health;
    const transport = services.protocols[server].transports[protocol];
    const outcome = await outcomeOf(transport, method.check, create(method.check.input), undefined);
    expect(outcome.answer).toMatchObject({ status: HealthCheckResponse_ServingStatus.SERVING });
  });

  it("refuses a message above its size limit as soon as its length is told", async () => {
    const url = `${services.urls[server][0]}/${rpc.service.typeName}/${rpc.method.name}`;
    const headers = {
      "content-type": "application/proto",
      authorization: await authorizationFor(rpc),
      "content-length": LIMIT_BYTES + 1,
    };
    const sent = request(url, { method: "POST", headers });
    sent.write("the beginning");
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(JSON.parse(await text(answer))).toMatchObject({ code: "resource_exhausted" });
    sent.destroy();
  });
});

it("the protos declare no request that makes a service log an error", () => {
  expect(services.logged).toEqual([]);
});
