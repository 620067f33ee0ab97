/** Random requests: valid ones succeed, all others are refused as documented. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { contractViolations } from "../../support/answer-checks.ts";
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";
import { anyRequest, mutatedBody, validBody, type RawRequest } from "./arbitraries.ts";
import { sendRequest } from "./client.ts";
import { components, operations, prefix, type Json, type Operation } from "./document.ts";
import { SCHEMA_CODES } from "./faults.ts";
import { useGateway } from "./gateway-under-test.ts";
import { isLong } from "../../support/test-size.ts";

/** FC_SEED repeats a run; FC_RUNS sets the number of random bodies. */
const seed = Number(process.env["FC_SEED"] ?? 20_261_121);
const bodies = Number(process.env["FC_RUNS"] ?? (isLong ? 20_000 : 500));
/** Random requests, and creates that are accepted. */
const requests = Math.ceil(bodies / 4);
const creates = Math.min(Math.ceil(bodies / 100), 200);
const BATCH_SIZE = 10;
const agent = new Agent({ keepAlive: true });

const ajv = new Ajv2020({ strict: false, validateSchema: false });
formats.default(ajv);
ajv.addFormat("public-https-url", true);
ajv.addFormat("picture-url", true);
ajv.addFormat("int64", true);

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
  parameters: { [name: string]: { values?: string[]; max?: number } };
};

/** The fields that only models take which declare them. */
const PARAMETERS =
  "seed resolution audio last_image_url reference_images video_url prompt_extend n mask_url background output_format".split(
    " ",
  );

const harness = useGateway();

afterAll(() => agent.destroy());

const withBody = operations.filter((operation) => operation.body);

describe.each(withBody)("a random body of $id", (operation) => {
  const schema = operation.body?.schema ?? {};

  it.runIf(operation.prefix === prefix)("is accepted if its model takes it", async () => {
    const service = await sharedService();
    const secret = await (await newCustomer(service)).key("test");
    const headers = { authorization: `Bearer ${secret}` };
    const listed = await fetch(`${service.url}/v1/models`, { headers });
    const { data } = (await listed.json()) as { data: Model[] };
    const kind = operation.id.includes("Image") ? "image" : "video";
    const model = fc.constantFrom(...data.filter((one) => one.kind === kind));
    const choice = fc.tuple(validBody(schema), model, fc.nat());
    await fc.assert(
      fc.asyncProperty(choice, async ([body, one, pick]) => {
        const { status, body: answer } = await sendRequest(service.url, operation, {
          secret,
          body: JSON.stringify(bodyForModel(operation, body, one, pick)),
        });
        expect({ status, error: answer["error"] }).toMatchObject({
          status: operation.successStatus,
        });
      }),
      { seed, numRuns: creates },
    );
  });

  it("is refused for a field exactly if it violates the document", async () => {
    const isValid = ajv.compile({ ...schema, components });
    const { secret } = harness.key;
    await fc.assert(
      fc.asyncProperty(mutatedBody(schema), async (body) => {
        const request = { secret, body: JSON.stringify(body) };
        const { status, code } = await sendRequest(harness.localUrl, operation, request);
        // A schema cannot say which URLs are public.
        const isAllowed = isValid(body) && code !== "url_not_allowed";
        const isRefused = status === 400 && SCHEMA_CODES.has(code);
        const { successStatus } = operation;
        expect([status, isRefused]).toEqual(isAllowed ? [successStatus, false] : [400, true]);
      }),
      { seed, numRuns: Math.ceil(bodies / withBody.length) },
    );
  });
});

describe("any request", () => {
  // Also what it makes the gateway send keeps the rules of the RPCs, or it would be a 500.
  it("is answered as documented, and never with a 500", async () => {
    const batch = fc.array(anyRequest, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
    await fc.assert(
      fc.asyncProperty(batch, async (requestBatch) => {
        const answers = await Promise.all(requestBatch.map(sendRaw));
        expect(answers.filter((status) => status >= 500)).toEqual([]);
      }),
      { seed, numRuns: Math.ceil(requests / BATCH_SIZE) },
    );
    expect(harness.logLines.filter(({ msg }) => msg === "request failed")).toEqual([]);
  });
});

/** Sends the request unchanged, which fetch would not do, and checks the response against the document. */
function sendRaw({ method, path, headers, body }: RawRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(harness.localUrl);
    // Without Content-Length, Node sends the body of some methods without any framing.
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
        const answer = new Response(text, { status, headers: headersOf(response.headers) });
        const violations = contractViolations(method, path, answer, text);
        if (violations.length === 0) resolve(status);
        else reject(new Error(`${method} ${path} answered ${status}: ${violations.join("; ")}`));
      });
    });
    const fail = (cause: Error) =>
      reject(
        new Error(`${method} ${path} ${JSON.stringify(headers)}: ${cause.message}`, { cause }),
      );
    request.once("error", fail).end(body);
  });
}

function withKey(headers: RawRequest["headers"]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { authorization: `Bearer ${harness.key.secret}` };
  for (const [name, value] of headers) all[name] = [all[name] ?? [], value].flat();
  return all;
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  return new Headers(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

/** A parameter of the model, its values in turn; nothing that contradicts another field. */
function parametersOf(model: Model, pick: number, hasImage: boolean) {
  const names = Object.keys(model.parameters);
  const name = names[pick % (names.length + 1)];
  if (name === undefined || (name.endsWith("_url") && !hasImage)) return {};
  const { values } = model.parameters[name] ?? {};
  const others: { [name: string]: Json } = {
    seed: pick,
    n: 1 + (pick % 2),
    audio: pick % 2 === 0,
    prompt_extend: false,
    last_image_url: "https://images.example.com/last.png",
    mask_url: "https://images.example.com/mask.png",
  };
  const value = values?.[pick % values.length] ?? others[name];
  return value === undefined ? {} : { [name]: value };
}

/** The body with the model-dependent fields set to values that the model supports. */
function bodyForModel(
  operation: Operation,
  body: { [name: string]: Json },
  model: Model,
  pick: number,
) {
  const { image_url: _one, image_urls: _several, ...given } = body;
  const rest = Object.fromEntries(
    Object.entries(given).filter(([name]) => !PARAMETERS.includes(name)),
  );
  const properties = (operation.body?.schema["properties"] ?? {}) as object;
  const url = `https://images.example.com/${pick}.png`;
  const wantsImage = model.required_inputs.includes("image") || pick % 2 === 0;
  const hasImage = model.inputs.includes("image") && wantsImage;
  const { min = 1, max = 1, step = 1 } = model.durations ?? {};
  const steps = Math.floor((max - min) / step) + 1;
  const choices: { [name: string]: Json | undefined } = {
    model: model.id,
    duration: model.durations && min + (pick % steps) * step,
    aspect_ratio: model.aspect_ratios?.[pick % model.aspect_ratios.length],
    size: model.sizes[pick % model.sizes.length],
    image_url: hasImage ? url : undefined,
    image_urls: hasImage
      ? Array.from({ length: 1 + (pick % model.max_reference_images) }, () => url)
      : undefined,
    ...parametersOf(model, pick, hasImage),
  };
  const supported = Object.entries(choices).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined && entry[0] in properties,
  );
  return { ...rest, ...Object.fromEntries(supported) };
}
