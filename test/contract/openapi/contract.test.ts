/** The gateway against its OpenAPI documents: each operation's examples, a fault of each place, each response and code. */
import { formOf, type RequestOptions } from "./client.ts";
import { operations, type Operation } from "./document.ts";
import {
  asynchronousScenario,
  ERROR_SCENARIOS,
  send,
  successScenario,
  type ScenarioContext,
} from "./error-scenarios.ts";
import { causedCodes, requestFaults, SCHEMA_CODES } from "./faults.ts";
import { useGateway } from "./gateway-under-test.ts";

const harness = useGateway();
const context: ScenarioContext = {
  harness,
  get key() {
    return harness.key;
  },
};
/** Each status of an operation that was answered, with its code where no schema causes it. */
const seen = new Set<string>();

const outcome = (id: string, status: number, code: string) =>
  `${id} ${status} ${SCHEMA_CODES.has(code) ? "of its form" : code}`;

async function answerTo(operation: Operation, request: RequestOptions) {
  const answer = await send(context, operation, request);
  seen.add(outcome(operation.id, answer.status, answer.code));
  return answer;
}

describe.each(operations)("$id", (operation) => {
  const { id, body, form, parameters, responses, successStatus } = operation;

  it("accepts its examples", async () => {
    const requests: RequestOptions[] = [
      ...(body?.examples ?? []).map((example) => ({ body: JSON.stringify(example) })),
      ...(form?.examples ?? []).map((example) => ({ form: formOf(operation, example) })),
    ];
    for (const request of requests) {
      const { status, body: answer } = await answerTo(operation, request);
      expect({ status, error: answer["error"] }).toMatchObject({ status: successStatus });
    }
  });

  it("refuses a fault in each place of its requests", async () => {
    const faults = requestFaults(operation);
    const answers = [];
    for (const { place, request } of faults) {
      const { status, code, param } = await answerTo(operation, request);
      answers.push({ place, status, code, param });
    }
    expect(answers).toEqual(
      faults.map(({ place, code, param }) => ({ place, status: 400, code, param })),
    );
    if (!parameters.some((one) => one.in === "path")) return;
    const [code] = responses.find(({ status }) => status === 404)?.codes ?? [];
    expect(await answerTo(operation, { id: "no id\0" })).toMatchObject({ status: 404, code });
  });

  it.each(responses)("answers $status, with each of its codes", async ({ status, codes }) => {
    const ofSuccess = status === successStatus ? successScenario : asynchronousScenario;
    const scenarios = codes.map((code) => [code, ERROR_SCENARIOS[code]] as const);
    for (const [code, scenario] of status < 400 ? [["", ofSuccess] as const] : scenarios) {
      if (!scenario) continue;
      expect(await scenario(context, operation)).toMatchObject({ status, code });
      seen.add(outcome(id, status, code));
    }
  });

  it("documents every code that its schemas can cause, and answered each that it documents", () => {
    const documented = responses.find(({ status }) => status === 400)?.codes ?? [];
    expect(documented).toEqual(expect.arrayContaining(causedCodes(operation)));
    const codes = responses.flatMap((one) => one.codes);
    const known = (code: string) => code in ERROR_SCENARIOS || SCHEMA_CODES.has(code);
    expect(codes.filter((code) => !known(code))).toEqual([]);
    const all = responses.flatMap((one) =>
      (one.codes.length > 0 ? one.codes : [""]).map((code) => outcome(id, one.status, code)),
    );
    expect(all.filter((one) => !seen.has(one))).toEqual([]);
  });
});
