/** What the documents say beside their rules: examples, whose form the lint checks, and what each field is. */
import {
  operationsOf,
  readDocument,
  readJson,
} from "../../../../services/gateway/edge/http/contract.ts";

/** The patterns of a schema, and of those in it, that have neither an example nor a message of their own. */
function withoutExample(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { pattern, examples, "x-error-code": code } = schema as Record<string, unknown>;
  const isText = pattern === String.raw`^[^\u0000\ud800-\udfff]*$`;
  const isBare = typeof pattern === "string" && !examples && !code && !isText;
  return [...(isBare ? [pattern] : []), ...Object.values(schema).flatMap(withoutExample)];
}

it("the document has an example of the form of every text of a request, which errors show", () => {
  const operations = operationsOf(readDocument("media"));
  const schemas = operations.flatMap(({ headers, query, body }) => [headers, query, body]);
  expect(schemas.flatMap(withoutExample)).toEqual([]);
});

/** The places of properties of schemas within `node` that nothing describes. */
function undescribed(node: unknown, place: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === "example" || name === "examples") return [];
    const own = name === "properties" && !("$ref" in node) ? fieldsWithout(value, place) : [];
    return [...own, ...undescribed(value, `${place}/${name}`)];
  });
}

const fieldsWithout = (properties: object, place: string) =>
  Object.entries(properties)
    .filter(([, schema]: [string, object]) =>
      ["description", "$ref", "allOf", "const"].every((word) => !(word in schema)),
    )
    .map(([field]) => `${place}.${field}`);

it.each(["media", "openai", "dashboard"] as const)("%s.yaml describes each field", (name) => {
  expect(undescribed(JSON.parse(readJson(name)).components.schemas, "")).toEqual([]);
});
