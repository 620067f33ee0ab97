/** The examples of the public document: valid, complete and accepted by the gateway. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { beforeEach, describe, expect, it } from "vitest";
import { readJson } from "../../../../services/gateway/edge/http/contract.ts";
import { catalogModels } from "../../backends.ts";
import { useHarness } from "../../harness.ts";

type Node = { [name: string]: unknown };

const document = JSON.parse(readJson("media")) as Node & {
  paths: Record<string, Record<string, Node>>;
  "x-error-codes": { code: string; status: number; type: string }[];
};
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
formats.default(ajv);
ajv.addFormat("public-https-url", true);
ajv.addFormat("int64", true);
ajv.addSchema(document, "document");

const harness = useHarness();

beforeEach(() => {
  harness.backends.listModels = () => ({ models: catalogModels });
});

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

/** The target of a reference, and its JSON pointer. */
function resolved(node: Node, pointer: string): { node: Node; pointer: string } {
  const ref = node["$ref"];
  if (typeof ref !== "string") return { node, pointer };
  const target = ref.slice(1);
  const steps = target.split("/").slice(1);
  return { node: steps.reduce((at, step) => at[step] as Node, document as Node), pointer: target };
}

type Example = { at: string; value: unknown; schema: string };

/** Every example in the document with the pointer of its schema. */
function examplesIn(node: unknown, pointer = ""): Example[] {
  if (!isNode(node)) return [];
  // The fields of an example may have any name, so examples are not searched.
  const { example, examples, schema, ...rest } = node;
  const below = Object.entries(schema === undefined ? rest : { ...rest, schema }).flatMap(
    ([name, child]) =>
      examplesIn(child, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  const ofSchema = `${pointer}/schema`;
  if (Array.isArray(examples)) {
    return [...examples.map((value) => ({ at: pointer, value, schema: pointer })), ...below];
  }
  if (schema === undefined) return below;
  const one = example === undefined ? [] : [{ at: pointer, value: example, schema: ofSchema }];
  const named = Object.entries((examples ?? {}) as Record<string, Node>).map(([name, child]) => ({
    at: `${pointer} ${name}`,
    value: resolved(child, "").node["value"],
    schema: ofSchema,
  }));
  return [...one, ...named, ...below];
}

const { components, ...others } = document;
const { examples: _shared, ...parts } = components as Node;
const all = [...examplesIn(others), ...examplesIn(parts, "/components")];

/** The patterns of a schema, and of those in it, that have neither an example nor a message of their own. */
function withoutExample(schema: Node): string[] {
  const { node } = resolved(schema, "");
  const { pattern, examples } = node;
  const isBare = typeof pattern === "string" && !examples && !node["x-error-code"];
  const isText = pattern === String.raw`^[^\u0000\ud800-\udfff]*$`;
  const below = Object.values(node).filter(isNode).flatMap(withoutExample);
  return [...(isBare && !isText ? [pattern] : []), ...below];
}

type Operation = Node & {
  operationId: string;
  parameters?: Node[];
  requestBody?: {
    content: { "application/json"?: { examples: Record<string, Node>; schema: Node } };
  };
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation: operation as Operation,
  })),
);
const requests = operations.flatMap(({ path, operation }) =>
  Object.entries(operation.requestBody?.content["application/json"]?.examples ?? {}).map(
    ([name, example]) => ({ path, name, body: example["value"] }),
  ),
);
const parametersOf = ({ parameters = [] }: Operation) =>
  parameters.map(
    (parameter) =>
      resolved(parameter, "").node as { name: string; in: string; example: string; schema: Node },
  );

describe("the document's examples", () => {
  it("exist for every body and every parameter", () => {
    expect(all.length).toBeGreaterThan(100);
    expect(requests.length).toBeGreaterThanOrEqual(6);
    const bare = operations.flatMap(({ operation }) =>
      parametersOf(operation).filter(({ example }) => example === undefined),
    );
    expect(bare).toEqual([]);
  });

  it("exist for the form of every text of a request, which the error message shows", () => {
    const schemas = operations.flatMap(({ operation }) => [
      ...parametersOf(operation).map(({ schema }) => schema),
      operation.requestBody?.content["application/json"]?.schema,
    ]);
    expect(schemas.flatMap((schema) => (isNode(schema) ? withoutExample(schema) : []))).toEqual([]);
  });

  it.each(all)("are valid under their schema: $at", ({ value, schema }) => {
    const isValid = ajv.validate(`document#${encodeURI(schema)}`, value);
    expect(isValid ? "" : ajv.errorsText()).toBe("");
  });

  it("of errors have a code of their response, with its status and type", () => {
    const responses = (components as { responses: Record<string, Node> }).responses;
    const statuses = new Map<string, Set<number>>();
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation["responses"] as Node)) {
        const name =
          String((response as Node)["$ref"])
            .split("/")
            .at(-1) ?? "";
        statuses.set(name, (statuses.get(name) ?? new Set()).add(Number(status)));
      }
    }
    for (const [name, response] of Object.entries(responses)) {
      const body = (response["content"] as { "application/json": { examples: Node } })[
        "application/json"
      ];
      for (const example of Object.values(body.examples)) {
        const { error } = (example as { value: { error: { code: string; type: string } } }).value;
        expect([name, response["x-codes"]]).toEqual([name, expect.arrayContaining([error.code])]);
        for (const status of statuses.get(name) ?? []) {
          const { code, type } = error;
          expect(document["x-error-codes"]).toContainEqual(
            expect.objectContaining({ code, type, status }),
          );
        }
      }
    }
  });
});
