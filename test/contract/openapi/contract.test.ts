/** The gateway against its OpenAPI documents: each operation's examples, a fault of each place, each response and code. */
import { beforeAll, describe, expect, it } from "vitest";
import { forTests } from "../../support/for-tests.ts";
import { formOf, sendRequest, type RequestOptions } from "./client.ts";
import { operations, type Operation } from "./document.ts";
import {
  asynchronousScenario,
  ERROR_SCENARIOS,
  successScenario,
  type ScenarioContext,
} from "./error-scenarios.ts";
import { causedCodes, requestFaults, SCHEMA_CODES } from "./faults.ts";
import { startServiceUnderTest } from "./service-under-test.ts";

const NO_RATE_LIMIT = 1_000_000_000;

const service = forTests(startServiceUnderTest);
const context = { service } as ScenarioContext;
/** Each status and code of an operation that was answered. */
const seen = new Set<string>();

beforeAll(async () => {
  const key = await service.newKey("test");
  const { accountId } = key;
  const limits = { createsPerMinute: NO_RATE_LIMIT, readsPerMinute: NO_RATE_LIMIT };
  await service.accounts.setLimits({ accountId, ...limits });
  const headers = { authorization: `Bearer ${key.secret}` };
  const answer = await fetch(`${service.url}/v1/models`, { headers });
  const { data } = (await answer.json()) as { data: ScenarioContext["models"] };
  Object.assign(context, { key, models: data });
});

/** Sends it while all behind the gateway succeeds, so that only the gateway can refuse it. */
async function sendCanned(operation: Operation, request: RequestOptions) {
  service.calls.isCanned = true;
  const { secret } = context.key;
  const answer = await sendRequest(service.url, operation, { secret, ...request }).finally(
    () => (service.calls.isCanned = false),
  );
  seen.add(`${operation.id} ${answer.status} ${answer.code}`);
  return answer;
}

describe.each(operations)("$id", (operation) => {
  const { id, body, form, parameters, responses, successStatus } = operation;

  it("accepts its examples", async () => {
    const requests: RequestOptions[] = [
      ...(body?.examples ?? []).map((example) => ({ body: JSON.stringify(example) })),
      ...(form?.examples ?? []).map((example) => ({ form: formOf(operation, example) })),
    ];
    for (const request of requests.length > 0 ? requests : [{}]) {
      const { status, body: answer } = await sendCanned(operation, request);
      expect({ status, error: answer["error"] }).toMatchObject({ status: successStatus });
    }
  });

  it("refuses a fault of each code in each place of its requests", async () => {
    const faults = requestFaults(operation);
    const answers = [];
    for (const { place, request } of faults) {
      const { status, code, param } = await sendCanned(operation, request);
      answers.push({ place, status, code, param });
    }
    expect(answers).toEqual(
      faults.map(({ place, code, param }) => ({ place, status: 400, code, param })),
    );
  });

  it.runIf(parameters.some((one) => one.in === "path"))(
    "answers 404 to what is no id",
    async () => {
      const { secret } = context.key;
      const answer = await sendRequest(service.url, operation, { secret, id: "no id\0" });
      const [code] = responses.find(({ status }) => status === 404)?.codes ?? [];
      expect(answer).toMatchObject({ status: 404, code });
    },
  );

  it.each(responses)("answers $status, with each of its codes", async ({ status, codes }) => {
    const ofSuccess = status === successStatus ? successScenario : asynchronousScenario;
    const scenarios = codes.map((code) => [code, ERROR_SCENARIOS[code]] as const);
    for (const [code, scenario] of status < 400 ? [["", ofSuccess] as const] : scenarios) {
      if (!scenario) continue;
      expect(await scenario(context, operation)).toMatchObject({ status, code });
      seen.add(`${id} ${status} ${code}`);
    }
  });

  it("documents every code that its schemas can cause, and none without a case", () => {
    const documented = responses.find(({ status }) => status === 400)?.codes ?? [];
    expect(documented).toEqual(expect.arrayContaining(causedCodes(operation)));
    const codes = responses.flatMap((one) => one.codes);
    const known = (code: string) => code in ERROR_SCENARIOS || SCHEMA_CODES.has(code);
    expect(codes.filter((code) => !known(code))).toEqual([]);
  });

  it("answered each documented status and code", () => {
    const documented = responses.flatMap(({ status, codes }) =>
      (codes.length > 0 ? codes : [""]).map((code) => `${id} ${status} ${code}`),
    );
    expect(documented.filter((one) => !seen.has(one))).toEqual([]);
  });
});
