/** The gateway against its OpenAPI document: a test for every operation, constraint and documented response. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestCases } from "./request-cases.ts";
import { sendRequest } from "./client.ts";
import { newCoverage } from "./coverage.ts";
import { operations } from "./document.ts";
import { SCHEMA_CODES } from "./keywords.ts";
import {
  asynchronousScenario,
  ERROR_SCENARIOS,
  successScenario,
  type ScenarioContext,
} from "./error-scenarios.ts";
import { startServiceUnderTest, type ServiceUnderTest } from "./service-under-test.ts";

const NO_RATE_LIMIT = 1_000_000_000;

const coverage = newCoverage();
let service: ServiceUnderTest;
let context: ScenarioContext;

beforeAll(async () => {
  service = await startServiceUnderTest();
  const key = await service.newKey("test");
  const { accountId } = key;
  const limits = { createsPerMinute: NO_RATE_LIMIT, readsPerMinute: NO_RATE_LIMIT };
  await service.accounts.setLimits({ accountId, ...limits });
  const headers = { authorization: `Bearer ${key.secret}` };
  const answer = await fetch(`${service.url}/v1/models`, { headers });
  const { data } = (await answer.json()) as { data: ScenarioContext["models"] };
  context = { service, key, models: data };
});
afterAll(() => service[Symbol.asyncDispose]());

describe.each(operations)("the constraints of $id", (operation) => {
  beforeAll(() => {
    service.calls.isCanned = true;
  });
  afterAll(() => {
    service.calls.isCanned = false;
  });

  const cases = requestCases(operation);

  it.each(cases.filter(({ fault }) => fault))("refuse $name", async ({ fault, ...request }) => {
    const { secret } = context.key;
    const { status, code, param } = await sendRequest(service.url, operation, {
      secret,
      ...request,
    });
    expect({ status, code, param }).toEqual({ status: 400, ...fault });
    coverage.count(operation.id, status, code);
  });

  it.each(cases.filter(({ fault }) => !fault))("allow $name", async (request) => {
    const { secret } = context.key;
    const { status, body } = await sendRequest(service.url, operation, { secret, ...request });
    expect({ status, error: body["error"] }).toMatchObject({ status: operation.successStatus });
    coverage.count(operation.id, status, "");
  });
});

describe.each(operations)("the responses of $id", (operation) => {
  it(`include ${operation.successStatus} on success`, async () => {
    const { status, body } = await successScenario(context, operation);
    expect({ status, error: body["error"] }).toMatchObject({ status: operation.successStatus });
    coverage.count(operation.id, status, "");
  });

  const others = operation.responses.filter(
    ({ status }) => status < 300 && status !== operation.successStatus,
  );

  it.each(others)("include $status where the client asks for it", async ({ status }) => {
    expect(await asynchronousScenario(context, operation)).toMatchObject({ status });
    coverage.count(operation.id, status, "");
  });

  const refusals = operation.responses.flatMap(({ status, codes }) =>
    codes.filter((code) => code in ERROR_SCENARIOS).map((code) => ({ status, code })),
  );

  it.each(refusals)("include $status $code", async ({ status, code }) => {
    const answer = await ERROR_SCENARIOS[code]?.(context, operation);
    expect(answer).toMatchObject({ status, code });
    coverage.count(operation.id, status, code);
  });
});

describe("the document", () => {
  it("has a case for every operation and every documented status", () => {
    process.stdout.write(`\n${coverage.table()}\n`);
    const missing = coverage.missingCodes();
    if (missing.length > 0) process.stdout.write(`codes without a case: ${missing.join(", ")}\n`);
    expect(coverage.gaps()).toEqual([]);
  });

  it("documents only codes that a schema or a scenario produces", () => {
    const codes = operations.flatMap(({ responses }) => responses.flatMap((one) => one.codes));
    const unreachable = codes.filter(
      (code) => !(code in ERROR_SCENARIOS) && !SCHEMA_CODES.has(code),
    );
    expect(unreachable).toEqual([]);
  });
});
