/** Arbitraries: valid values of a schema, mutated bodies, and arbitrary HTTP requests. */
import fc, { type Arbitrary } from "fast-check";
import { deref, smallestExample, operations, type Json, type Schema } from "./document.ts";

/** Values that are valid by the schema. */
export function valid(node: Schema): Arbitrary<Json> {
  const schema = deref(node);
  const { const: only, enum: values } = schema;
  if (only !== undefined) return fc.constant(only as Json);
  if (values !== undefined) return fc.constantFrom(...(values as Json[]));
  const types = [schema["type"] ?? []].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

/** Valid bodies of an operation, with all required and some optional fields. */
export function validBody(schema: Schema): Arbitrary<{ [name: string]: Json }> {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const fields = Object.entries(properties).map(([name, one]) => [name, valid(one)] as const);
  const requiredKeys = (schema["required"] ?? []) as string[];
  return fc.record(Object.fromEntries(fields), { requiredKeys });
}

function ofType(type: string, schema: Schema): Arbitrary<Json> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({
        min: Number(schema["minimum"] ?? -(2 ** 31)),
        max: Number(schema["maximum"] ?? 2 ** 31 - 1),
      });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "string":
      return text(schema);
    case "array": {
      const items = valid((schema["items"] ?? {}) as Schema);
      const [minLength, maxLength] = [schema["minItems"] ?? 0, schema["maxItems"] ?? 5];
      return fc.array(items, { minLength: Number(minLength), maxLength: Number(maxLength) });
    }
    default:
      return dictionary(schema);
  }
}

function dictionary(schema: Schema): Arbitrary<Json> {
  const values = schema["additionalProperties"];
  if (typeof values !== "object" || values === null) return validBody(schema);
  const names = text({ type: "string", ...(schema["propertyNames"] as Schema | undefined) });
  const maxKeys = Number(schema["maxProperties"] ?? 5);
  return fc
    .array(fc.tuple(names, valid(values as Schema)), { maxLength: maxKeys })
    .map((entries) => Object.fromEntries(entries));
}

/** Hosts that do not exist, so that no webhook of a random request reaches a real one. */
const TEXTS_OF_FORMATS: Readonly<Record<string, string[]>> = {
  "public-https-url": [
    "https://images.media.example/garden.jpg",
    "https://media.example:1024/a?b=c",
  ],
  "picture-url": ["https://images.media.example/garden.jpg", "data:image/png;base64,iVBORw0KGgo="],
  date: ["2026-11-17"],
  "date-time": ["2026-11-17T00:00:00Z", "2026-11-17T01:00:00.5+01:00"],
};

function text(schema: Schema): Arbitrary<string> {
  const { minLength = 0, maxLength = 2_000, pattern, format, examples = [] } = schema;
  const ofFormat = TEXTS_OF_FORMATS[String(format)];
  if (ofFormat) return fc.constantFrom(...ofFormat);
  const sizes = { minLength: Number(minLength), maxLength: Number(maxLength) };
  const any = fc.string({ unit: "binary", ...sizes });
  if (pattern === undefined) return any;
  const matches = new RegExp(pattern, "u");
  // Random strings usually match a pattern that excludes characters, and rarely one that requires some.
  const samples = fc.sample(any, { seed: 1, numRuns: 20 }).filter((one) => matches.test(one));
  if (samples.length >= 10) return any.filter((one) => matches.test(one));
  return examples.length > 0
    ? fc.constantFrom(...(examples as string[]))
    : fc.stringMatching(matches);
}

const EDGE_STRINGS = [
  "",
  "0",
  "-1",
  "null",
  "__proto__",
  "constructor",
  "\0",
  "\ud800",
  "😀",
  "a".repeat(9_000),
];

const anything = fc.oneof(
  fc.jsonValue() as Arbitrary<Json>,
  fc.constantFrom(...EDGE_STRINGS),
  fc.constantFrom<Json>(-1, 0, 2 ** 31, 2 ** 53, 1e300, 0.5, true, null, [], {}, [[[]]]),
);

/** A valid body with one or two fields changed, removed or added; sometimes any other JSON. */
export function mutatedBody(schema: Schema): Arbitrary<Json> {
  const names = Object.keys((schema["properties"] ?? {}) as object);
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constantFrom(...EDGE_STRINGS)) },
  );
  const change = fc.tuple(name, fc.option(anything, { nil: undefined, freq: 6 }));
  const mutated = fc
    .tuple(validBody(schema), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]) => {
      const entries = new Map<string, Json | undefined>(Object.entries(body));
      for (const [key, value] of changes) entries.set(key, value);
      return Object.fromEntries(
        [...entries].filter((entry): entry is [string, Json] => entry[1] !== undefined),
      );
    });
  return fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: anything });
}

/** A request as it is written to the socket. */
export type RawRequest = {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: string | undefined;
};

const ID = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
    "..",
    "%",
    "%00",
    "%ff",
    "%2f",
    "a%2Fb",
    "alpha-2.0",
  ),
);

const OTHER_METHOD = fc.constantFrom(
  ..."GET POST PUT PATCH DELETE HEAD OPTIONS PROPFIND QUERY".split(" "),
);

type Target = Pick<RawRequest, "method" | "path">;

const TARGET: Arbitrary<Target> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        operation: fc.constantFrom(...operations),
        id: fc.oneof(ID, ID.map(encodeId)),
        usesOtherMethod: fc.nat(6).map((one) => one === 0),
        otherMethod: OTHER_METHOD,
      })
      .map(({ operation: { method, path }, id, usesOtherMethod, otherMethod }) => ({
        method: usesOtherMethod ? otherMethod : method,
        path: path.replace(/\{[^}]+\}/, () => id),
      })),
  },
  { weight: 1, arbitrary: fc.record({ method: OTHER_METHOD, path: fc.webPath() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      method: OTHER_METHOD,
      path: fc.array(ID, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
    }),
  },
);

const QUERY = fc.oneof(
  { weight: 15, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.webQueryParameters().map((query) => `?${query}`) },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(...queryNames(), "x", "__proto__", "limit[]", "a[b]"),
          fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom("", "1", "%", "%00")),
        ),
        { maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`),
  },
);

function queryNames(): string[] {
  const parameters = operations.flatMap((operation) => operation.parameters);
  return [...new Set(parameters.filter((one) => one.in === "query").map(({ name }) => name))];
}

const HEADER_VALUE = fc
  .oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom(
      "",
      "0",
      "wait=1",
      "wait=0",
      "gzip",
      "*/*",
      "chunked",
      "a, b",
      "é",
      "x".repeat(200),
    ),
  )
  .map((value) => value.replace(/[^\t -~\u0080-\u00ff]/g, ""));

const HEADERS = fc.array(
  fc.tuple(
    fc.constantFrom(
      ..."Idempotency-Key Request-Id Prefer Accept Accept-Encoding Origin".split(" "),
      ..."Cookie Content-Encoding If-None-Match Range X-Forwarded-For X-HTTP-Method-Override".split(
        " ",
      ),
    ),
    HEADER_VALUE,
  ),
  { maxLength: 3 },
);

const TYPE = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("application/json; charset=utf-8", "text/plain", "*/*", ""),
  },
  { weight: 1, arbitrary: HEADER_VALUE },
);

const bodies = operations.flatMap(({ body }) => (body ? [body.schema] : []));
const exampleBodies = operations
  .filter(({ body }) => body)
  .map((operation) => smallestExample(operation));
const BODY: Arbitrary<string | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...exampleBodies.map((body) => JSON.stringify(body))) },
  ...bodies.map(validBody).map((body) => body.map((one) => JSON.stringify(one))),
  ...bodies.map(mutatedBody).map((body) => body.map((one) => JSON.stringify(one))),
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.constant(undefined),
);

const BASE = fc.constantFrom(...new Set(operations.map(({ prefix }) => prefix)));

/** Arbitrary requests to the API. */
export const anyRequest: Arbitrary<RawRequest> = fc
  .record({ base: BASE, target: TARGET, query: QUERY, headers: HEADERS, type: TYPE, body: BODY })
  .map(({ base, target: { method, path }, query, headers, type, body }) => ({
    method,
    path: encodeTarget(base + path + query),
    headers: body === undefined ? headers : [...headers, ["Content-Type", type]],
    body: ["GET", "HEAD"].includes(method) ? undefined : body,
  }));

/** Encodes the characters that a request line cannot contain. */
function encodeTarget(path: string): string {
  return path
    .toWellFormed()
    .replaceAll(/[^!-~]/gu, (one) => encodeURIComponent(one))
    .replaceAll("#", "%23");
}

function encodeId(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
