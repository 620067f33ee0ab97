/**
 * The four services against their protos: the callers, an empty, a broken and valid messages of each RPC; tokens and
 * protocols of each server.
 */
import { create, ScalarType, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { forTests } from "../../support/for-tests.ts";
import { isLong } from "../../support/test-size.ts";
import { messages } from "./messages.ts";
import { outcomeOf, PROTOCOLS, type Outcome, type Protocol } from "./protocols.ts";
import { findRpcs, type Rpc } from "./rpcs.ts";
import { faultsOfEmptyMessage } from "./rules.ts";
import { CALLERS, FOREIGN_CALLER, startServicesUnderTest } from "./services-under-test.ts";

const VALID_MESSAGES_PER_RPC = isLong ? 25 : 1;
const LIMIT_BYTES = 64 * 1024 * 1024;
/** The possible outcomes of a valid call; each except OK carries an ErrorInfo. */
const DOCUMENTED_CODES = [
  "OK",
  "InvalidArgument",
  "NotFound",
  "AlreadyExists",
  "FailedPrecondition",
  "ResourceExhausted",
  "Unavailable",
];

const rpcs = await findRpcs();
const validator = createValidator();
const services = forTests(startServicesUnderTest);

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

/** Why the outcome is not a documented one; undefined where it is. */
function violationOf({ method }: Rpc, { code, faults, text, answer }: Outcome): string | undefined {
  if (!DOCUMENTED_CODES.includes(code)) return `${code}: ${text}`;
  const reasons = faults.map(({ reason }) => reason);
  if (code !== "OK" && reasons.length === 0) return `${code} without its reason: ${text}`;
  if (reasons.includes(ErrorReason.UNSPECIFIED)) return `${code} with an unspecified reason`;
  const result = answer && validator.validate(method.output, answer);
  return result?.error && `an answer that breaks a rule: ${result.error.message}`;
}

/** What an empty message comes to: the fields that it is refused for, in order. */
function emptyOutcome({ code, faults }: Outcome) {
  const invalid = faults.filter(({ reason }) => reason === ErrorReason.INVALID_FIELD);
  return { code, fields: invalid.map(({ field }) => field) };
}

function expectedForEmpty({ method }: Rpc) {
  const fields = faultsOfEmptyMessage(method.input);
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

  it("answers any valid message as documented", async () => {
    const arbitrary = messages(method.input, services.known);
    for (const message of fc.sample(arbitrary, { seed: 1, numRuns: VALID_MESSAGES_PER_RPC })) {
      expect(validator.validate(method.input, message).kind).toBe("valid");
      expect(violationOf(rpc, await call(rpc, message))).toBeUndefined();
    }
  });
});

describe.each(SERVICES)("the server of %s", (server) => {
  const own = rpcs.filter((rpc) => rpc.server === server);
  /** One that refuses an empty message. */
  const rpc = own.find(({ method }) => faultsOfEmptyMessage(method.input).length > 0) as Rpc;
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
});

describe("a server", () => {
  /** One server for each protocol: all servers share the code, and each case sends 64 MiB. */
  const variants = [...PROTOCOLS, "gzip" as const].map((protocol, index) => ({
    protocol,
    server: SERVICES[index % SERVICES.length] ?? "gateway",
  }));

  it.each(isLong ? variants : variants.slice(0, 1))(
    "refuses a message above its size limit over $protocol, and keeps serving",
    async ({ protocol, server }) => {
      const { transports, gzip } = services.protocols[server];
      const texts = rpcs
        .filter((rpc) => rpc.server === server)
        .flatMap((rpc) => rpc.method.input.fields.map((field) => ({ rpc, field })));
      const { rpc, field } = texts.find((one) => one.field.scalar === ScalarType.STRING) ?? {};
      if (!rpc || !field) throw new Error(`no RPC of ${server} has a text field`);
      const message = create(rpc.method.input);
      reflect(rpc.method.input, message).set(field, "a".repeat(LIMIT_BYTES + 1));
      const transport = protocol === "gzip" ? gzip : transports[protocol];
      const { code } = await outcomeOf(transport, rpc.method, message, await authorizationFor(rpc));
      expect(code).toBe("ResourceExhausted");
      const { check } = Health.method;
      const outcome = await outcomeOf(transports.connect, check, create(check.input), undefined);
      expect(outcome.code).toBe("OK");
    },
  );
});

describe("the protos", () => {
  it("declare no request that makes a service log an error", () => {
    expect(services.logged).toEqual([]);
  });
});
