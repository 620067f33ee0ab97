/** The inputs of tools: the fields of the public document, with what tools need besides, and what clients are shown of them. */
import type { Contract } from "../http/contract.ts";
import { operationsOf, type DocumentOperation } from "../http/document-operations.ts";
import { objectOf, type Schema } from "./tool.ts";

/** A matter of the program around a model. */
const LEFT_OUT: ReadonlySet<string> = new Set(["webhook_url", "metadata"]);
/** What a model can follow. The patterns and formats are checked without being shown. */
const SHOWN = [
  "description",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "required",
  "additionalProperties",
];

/** Some clients give up on a tool after a minute. */
export const MAX_WAIT_SECONDS = 45;

const KEY_DESCRIPTION =
  "A name for this one wish of the user: a few words and four random characters, without spaces, such as boat-at-dusk-7f3a. Whenever you repeat the call for the same wish, after a timeout or an error or because you are not sure that it arrived, send the same name and the same fields: it is then made and charged once. Only another wish, or changed fields, get another name.";

export const WAIT_SECONDS: Schema = {
  type: "integer",
  minimum: 0,
  maximum: MAX_WAIT_SECONDS,
  description: `How many seconds to wait for the end, at most ${MAX_WAIT_SECONDS}. 0, the default, answers at once.`,
};

/** The input of an operation of the document that creates a generation. */
export function createInput(
  { document }: Pick<Contract, "document">,
  operationId: string,
  more: Record<string, Schema> = {},
): Schema {
  const { body, headers } = operationOf(document, operationId);
  const { properties = {}, required } = body as Schema;
  const fields = Object.entries(properties as Record<string, Schema>);
  const key = headers.properties?.["Idempotency-Key"] as Schema;
  return objectOf(
    {
      ...Object.fromEntries(fields.filter(([name]) => !LEFT_OUT.has(name))),
      ...more,
      idempotency_key: { ...key, description: KEY_DESCRIPTION },
    },
    [...(required as string[]), "idempotency_key"],
  );
}

export function operationOf(document: Contract["document"], id: string): DocumentOperation {
  const found = operationsOf(document).find((operation) => operation.id === id);
  if (!found) throw new Error(`the document has no operation ${id}`);
  return found;
}

/** The schema as clients get it: smaller, and without what some of their models cannot read. */
export function shown(schema: Schema): Schema {
  const types = [schema["type"]].flat().filter((type) => type !== "null");
  const { items, properties, enum: values } = schema;
  return {
    type: types[0],
    ...Object.fromEntries(
      SHOWN.flatMap((name) => (name in schema ? [[name, schema[name]] as const] : [])),
    ),
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    ...(items === undefined ? {} : { items: shown(items as Schema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, shown(one as Schema)]),
          ),
        }),
  };
}
