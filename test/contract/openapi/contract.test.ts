/** The gateway against its own document: a case for every constraint, every operation and every documented answer. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestCases } from "./cases.ts";
import { ask } from "./client.ts";
import { newCoverage } from "./coverage.ts";
import { operations } from "./document.ts";
import { SCHEMA_CODES } from "./keywords.ts";
import { RECIPES, success } from "./recipes.ts";
import type { Scene } from "./recipes.ts";
import { startStage } from "./stage.ts";
import type { Stage } from "./stage.ts";

const PER_MINUTE = 1_000_000_000;

const coverage = newCoverage();
let stage: Stage;
let scene: Scene;

beforeAll(async () => {
  stage = await startStage();
  const key = await stage.newKey("test");
  const { accountId } = key;
  const limits = { createsPerMinute: PER_MINUTE, readsPerMinute: PER_MINUTE };
  await stage.accounts.setLimits({ accountId, ...limits });
  const headers = { authorization: `Bearer ${key.secret}` };
  const answer = await fetch(`${stage.url}/v1/models`, { headers });
  const { data } = (await answer.json()) as { data: Scene["models"] };
  scene = { stage, key, models: data };
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each(operations)("the constraints of $id", (operation) => {
  beforeAll(() => {
    stage.behind.isCanned = true;
  });
  afterAll(() => {
    stage.behind.isCanned = false;
  });

  const cases = requestCases(operation);

  it.each(cases.filter(({ fault }) => fault))("refuse $name", async ({ fault, ...request }) => {
    const { secret } = scene.key;
    const { status, code, param } = await ask(stage.url, operation, { secret, ...request });
    expect({ status, code, param }).toEqual({ status: 400, ...fault });
    coverage.count(operation.id, status, code);
  });

  it.each(cases.filter(({ fault }) => !fault))("allow $name", async (request) => {
    const { secret } = scene.key;
    const { status, body } = await ask(stage.url, operation, { secret, ...request });
    expect({ status, error: body["error"] }).toMatchObject({ status: operation.successStatus });
    coverage.count(operation.id, status, "");
  });
});

describe.each(operations)("the answers of $id", (operation) => {
  it(`are ${operation.successStatus} where all is well`, async () => {
    const { status, body } = await success(scene, operation);
    expect({ status, error: body["error"] }).toMatchObject({ status: operation.successStatus });
    coverage.count(operation.id, status, "");
  });

  const refusals = operation.answers.flatMap(({ status, codes }) =>
    codes.filter((code) => code in RECIPES).map((code) => ({ status, code })),
  );

  it.each(refusals)("are $status $code where the document says so", async ({ status, code }) => {
    const answer = await RECIPES[code]?.(scene, operation);
    expect(answer).toMatchObject({ status, code });
    coverage.count(operation.id, status, code);
  });
});

describe("the document", () => {
  it("has a case for every operation and every status that it promises", () => {
    process.stdout.write(`\n${coverage.table()}\n`);
    const unseen = coverage.unseenCodes();
    if (unseen.length > 0) process.stdout.write(`codes without a case: ${unseen.join(", ")}\n`);
    expect(coverage.gaps()).toEqual([]);
  });

  it("has no code that is neither its schemas' nor has a way to come about", () => {
    const codes = operations.flatMap(({ answers }) => answers.flatMap((one) => one.codes));
    const strange = codes.filter((code) => !(code in RECIPES) && !SCHEMA_CODES.has(code));
    expect(strange).toEqual([]);
  });
});
