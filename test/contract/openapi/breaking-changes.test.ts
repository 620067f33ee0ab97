/** The checker that finds breaking changes of the OpenAPI document, tested with one change of each kind. */
import { parse } from "yaml";
import { breakingChanges } from "../../../scripts/openapi-compatible.mjs";

type Node = { [key: string]: Node };

const BEFORE = parse(`
openapi: 3.1.0
info: { title: Example, version: 1.2.0 }
servers: [{ url: /v1 }]
security: [{ bearer: [] }]
x-max-body-bytes: 1000
x-error-codes: [{ code: too_long, status: 400, type: invalid }]
x-unmatched-responses: { "404": { x-codes: [route_not_found] } }
paths:
  /things:
    get: { operationId: listThings, responses: { "200": {} } }
    post:
      operationId: createThing
      parameters:
        - { name: Key, in: header, schema: { type: string, maxLength: 10 } }
        - { name: limit, in: query, schema: { type: integer, default: 20 } }
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } }
      responses:
        "200":
          headers: { Request-Id: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Answer" } } }
        "400": { x-codes: [too_long, too_short] }
webhooks:
  thing.made:
    post:
      parameters: [{ name: webhook-id, in: header, schema: { type: string } }]
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Answer" } } }
      responses: { "2XX": {}, "410": {} }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: { type: [string, "null"], minLength: 1, maxLength: 10, pattern: "^a" }
        size: { type: number, minimum: 0, maximum: 5, default: 1 }
        kind: { enum: [big, small] }
        tags: { type: array, maxItems: 3, items: { type: string, format: uri } }
        notes: { type: object, additionalProperties: { type: string, maxLength: 5 } }
        parts: { type: array, items: { $ref: "#/components/schemas/Thing" } }
    Answer:
      type: object
      required: [id, state]
      properties:
        id: { type: string, maxLength: 10 }
        state: { enum: [on, off] }
        object: { const: thing }
        score: { type: integer, minimum: 0 }
        price: { anyOf: [{ type: integer }, { type: "null" }] }
        inner: { $ref: "#/components/schemas/Answer" }
`) as Node;

/** Sets `value` at `path` below `node`, in which NUL replaces a slash of a name; undefined deletes it. */
function put(node: Node, path: string, value: unknown): void {
  const keys = path.split("/").map((key) => key.replace("\0", "/"));
  const last = keys.pop() ?? "";
  const parent = keys.reduce<Node>((at, key) => (at[key] ??= {}), node);
  if (value === undefined) delete parent[last];
  else parent[last] = value as Node;
}

/** What changes | where, below a part of BEFORE | its new value, none where it is removed. */
const BREAKING = `
an operation is removed | doc/paths | {}
authentication is removed | post/security | []
the body size limit shrinks | doc/x-max-body-bytes | 999
a body becomes required | post/requestBody/required | true
a parameter is removed | post/parameters | []
a parameter becomes required | post/parameters/0/required | true
a required parameter is added | post/parameters/2 | { name: after, in: query, required: true, schema: {} }
a required body is added | get/requestBody | { required: true, content: {} }
a parameter's default changes | post/parameters/1/schema/default | 10
a field becomes required | thing/required | ["name", "size"]
a request field is removed | thing/properties/kind
an enum value is removed | thing/properties/kind/enum | ["big"]
a minimum length grows | thing/properties/name/minLength | 2
a maximum length shrinks | thing/properties/name/maxLength | 9
a limit is added | thing/properties/kind/minLength | 1
a map's values are narrowed | thing/properties/notes/additionalProperties/maxLength | 4
an unknown keyword is added | thing/dependentRequired | { kind: ["size"] }
an error code is removed from a response | post/responses/400/x-codes | ["too_long"]
an error code is removed from the table | doc/x-error-codes | []
a response for unmatched paths is removed | doc/x-unmatched-responses | {}
a response header becomes optional | post/responses/200/headers/Request-Id/required | false
a response field becomes optional | answer/required | ["id"]
a response field becomes nullable | answer/properties/id/type | ["string", "null"]
a response field's maximum length grows | answer/properties/id/maxLength | 11
a response field's limit is removed | answer/properties/score/minimum
a response field gets another alternative | answer/properties/price/anyOf/2 | { type: "string" }
a webhook is removed | doc/webhooks | {}
`;

const COMPATIBLE = `
a description changes | thing/properties/name/description | "A name"
an optional field is added | thing/properties/colour | { type: "string" }
a field becomes optional | thing/required | []
a minimum falls | thing/properties/size/minimum | -1
an enum value is added to requests | thing/properties/kind/enum | ["big", "small", "tiny"]
an enum value is added to answers and events | answer/properties/state/enum | ["on", "off", "dim"]
a response field becomes required | answer/required | ["id", "state", "score"]
`;

const rowsOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split(" | ").map((cell) => cell.trim()) as [string, string, string]);

const PARTS: Record<string, string> = {
  doc: "",
  get: "paths/\0things/get/",
  post: "paths/\0things/post/",
  thing: "components/schemas/Thing/",
  answer: "components/schemas/Answer/",
};

/** BEFORE with one value of one part changed. */
function changed(where: string, value = ""): Node {
  const doc = structuredClone(BEFORE);
  const [part = "", ...path] = where.split("/");
  const to: unknown = value === "" ? undefined : parse(value);
  put(doc, `${PARTS[part]}${path.join("/")}`, to);
  return doc;
}

describe("the checker of breaking changes", () => {
  it.each(rowsOf(BREAKING))("reports that %s", (_name, where, value) => {
    const lines = breakingChanges(BEFORE, changed(where, value));
    const keyword = where.split("/").findLast((key) => !/^\d$/.test(key));
    expect(lines.join("\n")).toContain(keyword);
  });

  it.each(rowsOf(COMPATIBLE))("reports nothing where %s", (_name, where, value) => {
    expect(breakingChanges(BEFORE, changed(where, value))).toEqual([]);
  });
});
