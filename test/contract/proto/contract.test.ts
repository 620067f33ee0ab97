/** The four services against their protos: a case for every RPC, rule, protocol and caller that the files name. */
import { create } from "@bufbuild/protobuf";
import type { Message } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SERVICES } from "../../../services/standalone/embedded/postgres/provision.ts";
import { fullMessage, messages } from "./messages.ts";
import { oversized } from "./oversized.ts";
import { outcomeOf, PROTOCOLS } from "./protocols.ts";
import type { Outcome, Protocol } from "./protocols.ts";
import { findRpcs } from "./rpcs.ts";
import type { Rpc } from "./rpcs.ts";
import { ruleCases } from "./rule-cases.ts";
import { faultsOfNothing } from "./rules.ts";
import { CALLERS, startStage, STRANGER } from "./stage.ts";
import type { Stage } from "./stage.ts";
import { newTally } from "./tally.ts";

const VALID_PER_RPC = 25;
/** What a call that keeps the rules may come to; each but OK says why in an ErrorInfo. */
const DOCUMENTED = [
  "OK",
  "InvalidArgument",
  "NotFound",
  "AlreadyExists",
  "FailedPrecondition",
  "ResourceExhausted",
  "Unavailable",
];

/** Bodies that are no message, by the codes that the RPC library gives them. */
const UNREADABLE = [
  { type: "application/json", code: "invalid_argument" },
  { type: "application/proto", code: "internal" },
];

const rpcs = await findRpcs();
const tally = newTally(rpcs.map(({ name }) => name));
const validator = createValidator();
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Called by one who may. */
function call(rpc: Rpc, message: Message, protocol: Protocol = "connect"): Promise<Outcome> {
  const caller = CALLERS.find((name) => rpc.callers.includes(name)) ?? STRANGER;
  return callWith(rpc, message, `Bearer ${stage.tokens[caller]}`, protocol);
}

function callWith(
  { server, method }: Rpc,
  message: Message,
  authorization: string | undefined,
  protocol: Protocol = "connect",
): Promise<Outcome> {
  const transport = stage.protocols[server].transports[protocol];
  return outcomeOf(transport, method, message, authorization);
}

/** What makes this an outcome that no documentation promises; undefined where there is nothing. */
function breachOf({ method }: Rpc, { code, faults, text, answer }: Outcome): string | undefined {
  if (!DOCUMENTED.includes(code)) return `${code}: ${text}`;
  const reasons = faults.map(({ reason }) => reason);
  if (code !== "OK" && reasons.length === 0) return `${code} without its reason: ${text}`;
  if (reasons.includes(ErrorReason.UNSPECIFIED)) return `${code} with an unspecified reason`;
  const result = answer && validator.validate(method.output, answer);
  return result?.error && `an answer that breaks a rule: ${result.error.message}`;
}

/** For an empty request: refused with these fields named, or, where there are none, as any other. */
function expectedOfNothing(refused: readonly string[]) {
  return refused.length === 0
    ? { breach: undefined }
    : { code: "InvalidArgument", faults: refused };
}

function faultyFields({ faults }: Outcome): string[] {
  return faults
    .filter(({ reason }) => reason === ErrorReason.INVALID_FIELD)
    .map(({ field }) => field);
}

describe.each(rpcs)("$name", (rpc) => {
  const { name, method, callers } = rpc;
  const nothing = create(method.input);
  const cases = ruleCases(method.input);
  const refused = faultsOfNothing(method.input);

  it("answers any message that keeps the rules as its documentation says", async () => {
    const arbitrary = messages(method.input, { known: stage.known });
    for (const message of fc.sample(arbitrary, { seed: 1, numRuns: VALID_PER_RPC })) {
      expect(validator.validate(method.input, message).kind).toBe("valid");
      expect(breachOf(rpc, await call(rpc, message))).toBeUndefined();
      tally.count(name, "valid");
    }
  });

  it.each(PROTOCOLS)("answers, refuses and names the field over %s", async (protocol) => {
    const full = await call(rpc, fullMessage(method.input), protocol);
    expect(breachOf(rpc, full)).toBeUndefined();
    const outcome = await call(rpc, nothing, protocol);
    const breach = breachOf(rpc, outcome);
    expect({ ...outcome, breach, faults: faultyFields(outcome) }).toMatchObject(
      expectedOfNothing(refused),
    );
    tally.count(name, "valid");
    tally.count(name, "empty");
  });

  it.each(cases.filter(({ fault }) => fault))("refuses $name", async ({ message, fault = "" }) => {
    const outcome = await call(rpc, message);
    expect({ ...outcome, faults: faultyFields(outcome) }).toMatchObject({
      code: "InvalidArgument",
      faults: [fault],
    });
    tally.count(name, "outside");
  });

  it.each(cases.filter(({ fault }) => !fault))("allows $name", async ({ message }) => {
    expect(validator.validate(method.input, message).kind).toBe("valid");
    expect(breachOf(rpc, await call(rpc, message))).toBeUndefined();
    tally.count(name, "edges");
  });

  it("is refused to those without a valid token, before anything else is looked at", async () => {
    for (const [what, authorization] of Object.entries(stage.badAuthorizations)) {
      const { code } = await callWith(rpc, nothing, authorization);
      expect({ what, code }).toEqual({ what, code: "Unauthenticated" });
      tally.count(name, "access");
    }
    for (const protocol of PROTOCOLS) {
      const { code } = await callWith(rpc, nothing, undefined, protocol);
      expect({ protocol, code }).toEqual({ protocol, code: "Unauthenticated" });
      tally.count(name, "access");
    }
  });

  it("is open to the callers that its option names, and to no other", async () => {
    expect(callers).not.toEqual([]);
    for (const caller of CALLERS) {
      const isNamed = callers.includes("*") || callers.includes(caller);
      const { code } = await callWith(rpc, nothing, `Bearer ${stage.tokens[caller]}`);
      const expected = !isNamed
        ? "PermissionDenied"
        : refused.length > 0
          ? "InvalidArgument"
          : "OK";
      expect({ caller, code }).toEqual({ caller, code: expected });
      tally.count(name, "access");
    }
  });

  it.each(UNREADABLE)("refuses $type that is none", async ({ type, code }) => {
    const url = `${stage.urls[rpc.server]}/${rpc.service.typeName}/${method.name}`;
    const headers = { "content-type": type, authorization: `Bearer ${stage.tokens.ops}` };
    const answer = await fetch(url, { method: "POST", headers, body: "\u0007[" });
    expect(await answer.json()).toMatchObject({ code });
    tally.count(name, "wire");
  });
});

describe.each(SERVICES)("the server of %s", (server) => {
  it.each(PROTOCOLS)("says over %s that it serves, to anyone", async (protocol) => {
    const transport = stage.protocols[server].transports[protocol];
    const { method } = Health;
    const outcome = await outcomeOf(transport, method.check, create(method.check.input), undefined);
    expect(outcome.answer).toMatchObject({ status: HealthCheckResponse_ServingStatus.SERVING });
  });
});

describe("a server", () => {
  /** One server for each way, as all stand on the same code and each case moves 64 MiB. */
  const ways = [...PROTOCOLS, "gzip" as const].map((protocol, index) => ({
    protocol,
    server: SERVICES[index % SERVICES.length] ?? "gateway",
  }));

  it.each(ways)("refuses a message above its limit over $protocol, and goes on", async (way) => {
    const { transports, gzip } = stage.protocols[way.server];
    const transport = way.protocol === "gzip" ? gzip : transports[way.protocol];
    const { method, message } = oversized(rpcs.filter(({ server }) => server === way.server));
    const { code } = await outcomeOf(transport, method, message, `Bearer ${stage.tokens.ops}`);
    expect(code).toBe("ResourceExhausted");
    const { check } = Health.method;
    const outcome = await outcomeOf(transports.connect, check, create(check.input), undefined);
    expect(outcome.code).toBe("OK");
  });
});

describe("the protos", () => {
  it("have cases for every RPC", () => {
    process.stdout.write(`\n${tally.table()}\n`);
    expect(tally.gaps()).toEqual([]);
  });

  it("promise no answer that a service logs as a fault of its own", () => {
    expect(stage.logged).toEqual([]);
  });
});
