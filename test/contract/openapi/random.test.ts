/** Random requests to the whole service: what the document allows succeeds, all else is refused as it says. */
import { Agent, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breaches } from "../../support/answer-checks.ts";
import { anyRequest, hurtBody, validBody } from "./arbitraries.ts";
import type { RawRequest } from "./arbitraries.ts";
import { ask } from "./client.ts";
import { document, operations } from "./document.ts";
import type { Json, Operation } from "./document.ts";
import { SCHEMA_CODES } from "./keywords.ts";
import { startStage } from "./stage.ts";
import type { Key, Stage } from "./stage.ts";

/** FC_SEED repeats a run, FC_RUNS makes it longer: so many random requests in all. */
const seed = Number(process.env["FC_SEED"] ?? 20_261_121);
const isLong = process.env["TEST_SIZE"] === "long";
const requests = Number(process.env["FC_RUNS"] ?? (isLong ? 20_000 : 400));
const AT_ONCE = 10;
const agent = new Agent({ keepAlive: true });
const LIVE_TOKENS = 10n ** 12n;

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addFormat("public-https-url", true);
ajv.addFormat("int64", true);
ajv.addSchema(document, "document");

type Model = {
  id: string;
  kind: string;
  required_inputs: string[];
  inputs: string[];
  availability: string;
  durations?: { min: number; max: number; step: number };
  aspect_ratios?: string[];
  sizes: string[];
  max_reference_images: number;
};

let stage: Stage;
let key: Key;
let models: Model[];

beforeAll(async () => {
  process.stdout.write(`\nFC_SEED=${seed}\n`);
  stage = await startStage();
  key = await stage.newKey("live", LIVE_TOKENS);
  const unlimited = { createsPerMinute: 0, readsPerMinute: 0, maxUnfinished: 0 };
  await stage.accounts.setLimits({ accountId: key.accountId, ...unlimited });
  const headers = { authorization: `Bearer ${key.secret}` };
  const answer = await fetch(`${stage.url}/v1/models`, { headers });
  const { data } = (await answer.json()) as { data: Model[] };
  models = data.filter(({ availability }) => availability === "available");
});
afterAll(async () => {
  agent.destroy();
  await stage[Symbol.asyncDispose]();
});

const creates = operations.filter((operation) => operation.body);
const perOperation = Math.ceil(requests / 10 / creates.length);
const timeout = 30_000 + requests * 50;

describe.each(creates)("a random body of $id", (operation) => {
  const schema = operation.body?.schema ?? {};
  const send = (body: Json) =>
    ask(stage.url, operation, { secret: key.secret, body: JSON.stringify(body) });

  it("is accepted where it keeps to the document and to its model", { timeout }, async () => {
    const kind = operation.id.includes("Image") ? "image" : "video";
    const model = fc.constantFrom(...models.filter((one) => one.kind === kind));
    const choice = fc.tuple(validBody(schema), model, fc.nat());
    await fc.assert(
      fc.asyncProperty(choice, async ([body, one, pick]) => {
        const { status, body: answer } = await send(suited(operation, body, one, pick));
        expect({ status, error: answer["error"] }).toMatchObject({
          status: operation.successStatus,
        });
      }),
      { seed, numRuns: Math.min(perOperation, 200) },
    );
  });

  it("is refused for a field exactly where it breaks the document", { timeout }, async () => {
    stage.behind.isCanned = true;
    const isValid = ajv.compile({ ...schema, components: document["components"] });
    await fc
      .assert(
        fc.asyncProperty(hurtBody(schema), async (body) => {
          const { status, code } = await send(body);
          // Which URLs are public is more than a schema says.
          const isAllowed = isValid(body) && code !== "url_not_allowed";
          const isRefused = status === 400 && SCHEMA_CODES.has(code);
          const { successStatus } = operation;
          expect([status, isRefused]).toEqual(isAllowed ? [successStatus, false] : [400, true]);
        }),
        { seed, numRuns: perOperation * 4 },
      )
      .finally(() => (stage.behind.isCanned = false));
  });
});

describe("any request at all", () => {
  it(`is answered as documented, and never with a 500 (${requests})`, { timeout }, async () => {
    const statuses = new Map<number, number>();
    const batch = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE });
    await fc.assert(
      fc.asyncProperty(batch, async (several) => {
        const answers = await Promise.all(several.map(sendRaw));
        for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(answers.filter((status) => status >= 500)).toEqual([]);
      }),
      { seed, numRuns: Math.ceil(requests / AT_ONCE) },
    );
    const told = [...statuses].toSorted(([a], [b]) => a - b);
    process.stdout.write(`\n${told.map(([status, count]) => `${status}: ${count}`).join(", ")}\n`);
    expect(stage.logged.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});

/** Sends it as it is, which fetch would not, and holds the answer against the document. */
function sendRaw({ method, path, headers, body }: RawRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(stage.url);
    // Without it Node sends the body of some methods in no frame at all.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const all = { ...withKey(headers), ...length };
    const options = { hostname, port, method, path, agent, headers: all };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString();
        const status = response.statusCode ?? 0;
        const answer = new Response(text, { status, headers: answered(response.headers) });
        const broken = breaches(method, path, answer, text);
        if (broken.length === 0) resolve(status);
        else reject(new Error(`${method} ${path} answered ${status}: ${broken.join("; ")}`));
      });
    });
    const told = (cause: Error) =>
      reject(
        new Error(`${method} ${path} ${JSON.stringify(headers)}: ${cause.message}`, { cause }),
      );
    request.once("error", told).end(body);
  });
}

function withKey(headers: RawRequest["headers"]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { authorization: `Bearer ${key.secret}` };
  for (const [name, value] of headers) all[name] = [all[name] ?? [], value].flat();
  return all;
}

function answered(headers: IncomingHttpHeaders): Headers {
  return new Headers(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

/** The body with what its model decides chosen among what the model offers. */
function suited(operation: Operation, body: { [name: string]: Json }, model: Model, pick: number) {
  const { image_url: _one, image_urls: _several, ...rest } = body;
  const properties = (operation.body?.schema["properties"] ?? {}) as object;
  const url = `https://images.example.com/${pick}.png`;
  const isWanted = model.required_inputs.includes("image") || pick % 2 === 0;
  const hasImage = model.inputs.includes("image") && isWanted;
  const { min = 1, max = 1, step = 1 } = model.durations ?? {};
  const steps = Math.floor((max - min) / step) + 1;
  const offered: { [name: string]: Json | undefined } = {
    model: model.id,
    duration: model.durations && min + (pick % steps) * step,
    aspect_ratio: model.aspect_ratios?.[pick % model.aspect_ratios.length],
    size: model.sizes[pick % model.sizes.length],
    image_url: hasImage ? url : undefined,
    image_urls: hasImage
      ? Array.from({ length: 1 + (pick % model.max_reference_images) }, () => url)
      : undefined,
  };
  const chosen = Object.entries(offered).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined && entry[0] in properties,
  );
  return { ...rest, ...Object.fromEntries(chosen) };
}
