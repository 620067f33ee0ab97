/** Every code that the form of a request can cause is documented for its operation. */
import { expect, it } from "vitest";
import { deref, operations, type Schema } from "./document.ts";
import { codeOf } from "./keywords.ts";

it.each(operations.map((operation) => [operation.id, operation] as const))(
  "of %s",
  (_id, { body, form, parameters, responses }) => {
    const query = parameters.filter((parameter) => parameter.in === "query");
    const schemas = [body?.schema, form?.schema, ...query.map(({ schema }) => schema)];
    const caused = new Set(schemas.flatMap((schema) => (schema ? codesIn(schema) : [])));
    const documented = responses.find(({ status }) => status === 400)?.codes ?? [];
    expect(documented).toEqual(expect.arrayContaining([...caused]));
  },
);

/** The codes of values that violate a keyword of the schema, or of one within it. */
function codesIn(node: Schema): string[] {
  const schema = deref(node);
  const own = Object.keys(schema).filter((keyword) => schema[keyword] !== true);
  const within = [
    ...Object.values(schema.properties ?? {}),
    ...["items", "propertyNames", "additionalProperties"].map((keyword) => schema[keyword]),
    ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => schema[keyword] ?? []),
  ].filter((one) => typeof one === "object" && one !== null);
  return [
    ...own.map((keyword) => codeOf(schema, keyword)).filter((code) => code !== ""),
    ...within.flatMap((one) => codesIn(one as Schema)),
  ];
}
