/** Makes a small value of a schema whose references are resolved. */

export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  pattern?: string;
  minimum?: number;
};

export function sampleOf(schema: Schema): unknown {
  const [known] = [schema.const, schema.examples?.[0], schema.enum?.[0], schema.default].filter(
    (value) => value !== undefined && value !== null,
  );
  if (known !== undefined) return known;
  const [of] = [schema.allOf, schema.oneOf, schema.anyOf].flatMap((list) => list ?? []);
  if (of) return sampleOf(of);
  const names = schema.required ?? [];
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        names.map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return schema.items ? [sampleOf(schema.items)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return "something long enough";
  }
}
