/** Random requests: valid ones succeed, all others are refused as documented. */
import fc, { type Arbitrary } from "fast-check";
import { sendRaw, sendRequest } from "./client.ts";
import { operations, type Body, type Json, type Schema } from "./document.ts";
import { SCHEMA_CODES } from "./faults.ts";
import { useGateway } from "./gateway-under-test.ts";
import { documentAjv } from "../../support/answer-checks.ts";
import { isLong } from "../../support/test-size.ts";

/** FC_SEED repeats a run; FC_RUNS sets the number of random bodies. */
const seed = Number(process.env["FC_SEED"] ?? 20_261_121);
const bodies = Number(process.env["FC_RUNS"] ?? (isLong ? 20_000 : 500));
const requests = Math.ceil(bodies / 4);
const BATCH_SIZE = 10;

const EDGE_STRINGS = ["", "-1", "null", "__proto__", "constructor", "\0", "\ud800", "😀"];
const EDGES: Json[] = [-1, 0, 2 ** 31, 2 ** 53, 1e300, 0.5, true, null, [], {}, [[[]]]];

const anything = fc.oneof(
  fc.jsonValue() as Arbitrary<Json>,
  fc.constantFrom(...EDGE_STRINGS, "a".repeat(9_000), ...EDGES),
);

/** What a field may nearly hold: what its schema names, what is at its limits, and anything else. */
function fieldValues(schema: Schema): Arbitrary<Json> {
  const around = (...keywords: string[]) =>
    keywords
      .filter((keyword) => keyword in schema)
      .flatMap((keyword) => [-1, 0, 1].map((more) => Number(schema[keyword]) + more));
  const lengths = around("minLength", "maxLength").filter((length) => length >= 0);
  const near: Json[] = [
    ...(schema.enum ?? []),
    ...(schema.examples ?? []),
    ...around("minimum", "maximum"),
    ...lengths.map((length) => "a".repeat(length)),
  ];
  return near.length > 0 ? fc.oneof(anything, fc.constantFrom(...near)) : anything;
}

/** An example with one or two fields changed, removed or added; sometimes any other JSON. */
function mutatedBody({ schema, examples }: Body): Arbitrary<Json> {
  const known = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fc.tuple(fc.constant(name), fc.option(fieldValues(field), { nil: undefined, freq: 6 })),
  );
  const other = fc.tuple(fc.oneof(fc.string(), fc.constantFrom(...EDGE_STRINGS)), anything);
  const change = fc.oneof({ weight: 4, arbitrary: fc.oneof(...known) }, other);
  const mutated = fc
    .tuple(fc.constantFrom(...examples), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]) => {
      const entries = [...Object.entries(body), ...changes];
      const kept = [...new Map<string, Json | undefined>(entries)];
      return Object.fromEntries(kept.filter((one): one is [string, Json] => one[1] !== undefined));
    });
  return fc.oneof({ weight: 9, arbitrary: mutated }, anything);
}

/** A request as it is written to the socket. */
type RawRequest = {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: string | undefined;
};

const ID = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("vgen_2zjrwfavgwd8tj2ht7shw0cw42", "..", "%", "%00", "%ff", "a%2Fb", "alpha-2.0"),
);
const METHOD = fc.constantFrom(
  ..."GET POST PUT PATCH DELETE HEAD OPTIONS PROPFIND QUERY".split(" "),
);
const BASE = fc.constantFrom(...new Set(operations.map(({ prefix }) => prefix)));

/** Of an operation, most of the time with its method and below its own prefix. */
const TARGET = fc
  .record({ operation: fc.constantFrom(...operations), id: ID, base: BASE, other: METHOD })
  .chain(({ operation: { method, prefix, path }, id, base, other }) => {
    const own = prefix + path.replace(/\{[^}]+\}/, () => id);
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant({ method, path: own }) },
      { weight: 3, arbitrary: fc.webPath().map((any) => ({ method: other, path: base + any })) },
      { weight: 1, arbitrary: fc.constant({ method: other, path: base + path }) },
    );
  });

const QUERY_NAMES = operations
  .flatMap(({ parameters }) => parameters)
  .flatMap(({ in: place, name }) => (place === "query" ? [name] : []));
const QUERY = fc
  .array(
    fc.tuple(
      fc.constantFrom(...new Set(QUERY_NAMES), "x", "__proto__", "limit[]", "a[b]"),
      fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom("", "1", "%", "%00")),
    ),
    { maxLength: 2 },
  )
  .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`);

const NAMES =
  "Idempotency-Key Request-Id Prefer Accept Accept-Encoding Origin Cookie Content-Encoding If-None-Match Range X-Forwarded-For";
const HEADER_VALUE = fc
  .oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom("", "0", "wait=1", "gzip", "*/*", "chunked", "a, b", "é", "x".repeat(200)),
  )
  .map((value) => value.replace(/[^\t -~\u0080-\u00ff]/g, ""));
const HEADERS = fc.array(fc.tuple(fc.constantFrom(...NAMES.split(" ")), HEADER_VALUE), {
  maxLength: 3,
});
const TYPE = fc.oneof({ weight: 8, arbitrary: fc.constant("application/json") }, HEADER_VALUE);

const allBodies = operations.flatMap(({ body }) => body ?? []);
const BODY: Arbitrary<string | undefined> = fc.oneof(
  ...allBodies.map((body) => mutatedBody(body).map((one) => JSON.stringify(one))),
  fc
    .constantFrom(...allBodies.flatMap(({ examples }) => examples))
    .map((one) => JSON.stringify(one)),
  fc.json(),
  fc.string(),
  fc.constant(undefined),
);

/** Arbitrary requests to the API. */
const anyRequest: Arbitrary<RawRequest> = fc
  .record({ target: TARGET, query: QUERY, headers: HEADERS, type: TYPE, body: BODY })
  .map(({ target: { method, path }, query, headers, type, body }) => ({
    method,
    path: encoded(path + query),
    headers: body === undefined ? headers : [...headers, ["Content-Type", type]],
    body: ["GET", "HEAD"].includes(method) ? undefined : body,
  }));

/** Encodes the characters that a request line cannot contain. */
function encoded(path: string): string {
  return path
    .toWellFormed()
    .replaceAll(/[^!-~]/gu, (one) => encodeURIComponent(one))
    .replaceAll("#", "%23");
}

const ajv = documentAjv({ allErrors: false });

const harness = useGateway();

const withBody = operations.filter((operation) => operation.body);

it.each(withBody)(
  "a random body of $id is refused for a field exactly if it violates the document",
  async (operation) => {
    const isValid = ajv.compile(operation.body?.schema ?? {});
    const { secret } = harness.key;
    await fc.assert(
      fc.asyncProperty(mutatedBody(operation.body as Body), async (body) => {
        const sent = { secret, body: JSON.stringify(body) };
        const { status, code, body: answer } = await sendRequest(harness.localUrl, operation, sent);
        // A schema cannot say which URLs are public.
        const isAllowed = isValid(body) && !JSON.stringify(answer).includes("url_not_allowed");
        // The error of a size that is none names those of the model; an unknown model is told before other faults.
        const isForm = SCHEMA_CODES.has(code) || /^(unsupported_size|model_not_found)$/.test(code);
        const isRefused = status === 400 && isForm;
        const { successStatus } = operation;
        expect([status, isRefused]).toEqual(isAllowed ? [successStatus, false] : [400, true]);
      }),
      { seed, numRuns: Math.ceil(bodies / withBody.length) },
    );
  },
);

// Also what it makes the gateway send keeps the rules of the RPCs, or it would be a 500.
it("any request is answered as documented, and never with a 500", async () => {
  const batch = fc.array(anyRequest, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
  await fc.assert(
    fc.asyncProperty(batch, async (requestBatch) => {
      const answers = await Promise.all(
        requestBatch.map(({ headers, ...request }) =>
          sendRaw(harness.localUrl, { ...request, headers: withKey(headers) }),
        ),
      );
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }),
    { seed, numRuns: Math.ceil(requests / BATCH_SIZE) },
  );
  expect(harness.logLines.filter(({ msg }) => msg === "request failed")).toEqual([]);
});

function withKey(headers: RawRequest["headers"]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { authorization: `Bearer ${harness.key.secret}` };
  for (const [name, value] of headers) all[name] = [all[name] ?? [], value].flat();
  return all;
}
