/** The four services against their protos: tests for every RPC, validation rule, protocol and caller. */
import { create, type Message } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { fullMessage, messages } from "./messages.ts";
import { oversizedRequest } from "./oversized-request.ts";
import { outcomeOf, PROTOCOLS, type Outcome, type Protocol } from "./protocols.ts";
import { findRpcs, type Rpc } from "./rpcs.ts";
import { ruleCases } from "./rule-cases.ts";
import { faultsOfEmptyMessage } from "./rules.ts";
import { CALLERS, startServicesUnderTest, FOREIGN_CALLER } from "./services-under-test.ts";
import { newCaseCounts } from "./case-counts.ts";
import { isLong } from "../../support/test-size.ts";
import { forTests } from "../../support/for-tests.ts";

const VALID_MESSAGES_PER_RPC = isLong ? 25 : 8;
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

const CONTENT_TYPES = ["application/json", "application/proto"];

const rpcs = await findRpcs();
const caseCounts = newCaseCounts(rpcs.map(({ name }) => name));
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

/** The expected outcome of an empty request: refused for these fields, or any documented one if there are none. */
function expectedForEmpty(refused: readonly string[]) {
  return refused.length === 0
    ? { violation: undefined }
    : { code: "InvalidArgument", faults: refused };
}

function faultyFields({ faults }: Outcome): string[] {
  return faults
    .filter(({ reason }) => reason === ErrorReason.INVALID_FIELD)
    .map(({ field }) => field);
}

describe.each(rpcs)("$name", (rpc) => {
  const { name, method, callers } = rpc;
  const emptyRequest = create(method.input);
  const cases = ruleCases(method.input);
  const refused = faultsOfEmptyMessage(method.input);

  it("answers any valid message as documented", async () => {
    const arbitrary = messages(method.input, { known: services.known });
    for (const message of fc.sample(arbitrary, { seed: 1, numRuns: VALID_MESSAGES_PER_RPC })) {
      expect(validator.validate(method.input, message).kind).toBe("valid");
      expect(violationOf(rpc, await call(rpc, message))).toBeUndefined();
      caseCounts.count(name, "valid");
    }
  });

  it.each(PROTOCOLS)("answers, and refuses with the field's name, over %s", async (protocol) => {
    const full = await call(rpc, fullMessage(method.input), protocol);
    expect(violationOf(rpc, full)).toBeUndefined();
    const outcome = await call(rpc, emptyRequest, protocol);
    const violation = violationOf(rpc, outcome);
    expect({ ...outcome, violation, faults: faultyFields(outcome) }).toMatchObject(
      expectedForEmpty(refused),
    );
    caseCounts.count(name, "valid");
    caseCounts.count(name, "empty");
  });

  it.each(cases.filter(({ fault }) => fault))("refuses $name", async ({ message, fault = "" }) => {
    const outcome = await call(rpc, message);
    expect({ ...outcome, faults: faultyFields(outcome) }).toMatchObject({
      code: "InvalidArgument",
      faults: [fault],
    });
    caseCounts.count(name, "outside");
  });

  it.each(cases.filter(({ fault }) => !fault))("allows $name", async ({ message }) => {
    expect(validator.validate(method.input, message).kind).toBe("valid");
    expect(violationOf(rpc, await call(rpc, message))).toBeUndefined();
    caseCounts.count(name, "inside");
  });

  it("refuses callers without a valid token before it validates the request", async () => {
    const bad = await services.badAuthorizations(rpc.server);
    for (const [what, authorization] of Object.entries(bad)) {
      const { code } = await callWith(rpc, emptyRequest, authorization);
      expect({ what, code }).toEqual({ what, code: "Unauthenticated" });
      caseCounts.count(name, "access");
    }
    for (const protocol of PROTOCOLS) {
      const { code } = await callWith(rpc, emptyRequest, undefined, protocol);
      expect({ protocol, code }).toEqual({ protocol, code: "Unauthenticated" });
      caseCounts.count(name, "access");
    }
  });

  it("allows exactly the callers that its option names", async () => {
    expect(callers).not.toEqual([]);
    for (const caller of CALLERS) {
      const isNamed = callers.includes(caller === FOREIGN_CALLER ? "internal" : caller);
      const authorization = await services.authorization(caller, rpc.server);
      const { code } = await callWith(rpc, emptyRequest, authorization);
      const expected = !isNamed
        ? "PermissionDenied"
        : refused.length > 0
          ? "InvalidArgument"
          : "OK";
      expect({ caller, code }).toEqual({ caller, code: expected });
      caseCounts.count(name, "access");
    }
  });

  it.each(CONTENT_TYPES)("refuses a malformed %s body", async (type) => {
    const url = `${services.urls[rpc.server][0]}/${rpc.service.typeName}/${method.name}`;
    const headers = { "content-type": type, authorization: await authorizationFor(rpc) };
    const answer = await fetch(url, { method: "POST", headers, body: "\u0007[" });
    expect(await answer.json()).toMatchObject({ code: "invalid_argument" });
    caseCounts.count(name, "wire");
  });
});

describe.each(SERVICES)("the server of %s", (server) => {
  it.each(PROTOCOLS)("reports over %s without a token that it is serving", async (protocol) => {
    const transport = services.protocols[server].transports[protocol];
    const { method } = Health;
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

  it.each(isLong ? variants : variants.slice(0, 2))(
    "refuses a message above its size limit over $protocol, and keeps serving",
    async (variant) => {
      const { transports, gzip } = services.protocols[variant.server];
      const transport = variant.protocol === "gzip" ? gzip : transports[variant.protocol];
      const { rpc, message } = oversizedRequest(
        rpcs.filter(({ server }) => server === variant.server),
      );
      const authorization = await authorizationFor(rpc);
      const { code } = await outcomeOf(transport, rpc.method, message, authorization);
      expect(code).toBe("ResourceExhausted");
      const { check } = Health.method;
      const outcome = await outcomeOf(transports.connect, check, create(check.input), undefined);
      expect(outcome.code).toBe("OK");
    },
  );
});

describe("the protos", () => {
  it("have cases for every RPC", () => {
    process.stdout.write(`\n${caseCounts.table()}\n`);
    expect(caseCounts.gaps()).toEqual([]);
  });

  it("declare no request that makes a service log an error", () => {
    expect(services.logged).toEqual([]);
  });
});
