/** Arbitraries: bodies that are nearly right, and any HTTP requests. */
import fc, { type Arbitrary } from "fast-check";
import { operations, type Body, type Json, type Schema } from "./document.ts";

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
export function mutatedBody({ schema, examples }: Body): Arbitrary<Json> {
  const known = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fc.tuple(fc.constant(name), fc.option(fieldValues(field), { nil: undefined, freq: 6 })),
  );
  const other = fc.tuple(fc.oneof(fc.string(), fc.constantFrom(...EDGE_STRINGS)), anything);
  const change = fc.oneof({ weight: 4, arbitrary: fc.oneof(...known) }, other);
  const mutated = fc
    .tuple(fc.constantFrom(...examples), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]) => {
      const entries = new Map<string, Json | undefined>(Object.entries(body));
      for (const [key, value] of changes) entries.set(key, value);
      return Object.fromEntries(
        [...entries].filter((entry): entry is [string, Json] => entry[1] !== undefined),
      );
    });
  return fc.oneof({ weight: 9, arbitrary: mutated }, anything);
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

const TARGET = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...operations), fc.oneof(ID, ID.map(encodeId)))
      .map(([{ method, path }, id]) => ({ method, path: path.replace(/\{[^}]+\}/, () => id) })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      method: OTHER_METHOD,
      path: fc.oneof(fc.webPath(), fc.constantFrom(...operations.map(({ path }) => path))),
    }),
  },
);

const QUERY = fc
  .array(
    fc.tuple(
      fc.constantFrom(...queryNames(), "x", "__proto__", "limit[]", "a[b]"),
      fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom("", "1", "%", "%00")),
    ),
    { maxLength: 2 },
  )
  .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`);

function queryNames(): string[] {
  const parameters = operations.flatMap((operation) => operation.parameters);
  return [...new Set(parameters.filter((one) => one.in === "query").map(({ name }) => name))];
}

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

const bodies = operations.flatMap(({ body }) => (body ? [body] : []));
const BODY: Arbitrary<string | undefined> = fc.oneof(
  fc.constantFrom(...bodies.flatMap(({ examples }) => examples)).map((one) => JSON.stringify(one)),
  ...bodies.map((body) => mutatedBody(body).map((one) => JSON.stringify(one))),
  fc.json(),
  fc.string(),
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
