/** The examples of the public document: where they must be, and the codes of those of errors. The lint checks their form. */
import { describe, expect, it } from "vitest";
import { operationsOf, readDocument } from "../../../../services/gateway/edge/http/contract.ts";

type Node = { [name: string]: unknown };

const document = readDocument("media") as unknown as Node & {
  paths: Record<string, Record<string, Node>>;
  components: { responses: Record<string, Node> };
  "x-error-codes": { code: string; status: number; type: string }[];
};

/** The patterns of a schema, and of those in it, that have neither an example nor a message of their own. */
function withoutExample(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { pattern, examples, "x-error-code": code } = schema as Node;
  const isText = pattern === String.raw`^[^\u0000\ud800-\udfff]*$`;
  const isBare = typeof pattern === "string" && !examples && !code && !isText;
  return [...(isBare ? [pattern] : []), ...Object.values(schema).flatMap(withoutExample)];
}

describe("the document's examples", () => {
  it("exist for the form of every text of a request, which the error message shows", () => {
    const schemas = operationsOf(readDocument("media")).flatMap(({ headers, query, body }) => [
      headers,
      query,
      body,
    ]);
    expect(schemas.flatMap(withoutExample)).toEqual([]);
  });

  it("of errors have a code of their response, with its status and type", () => {
    const statuses = new Map<string, Set<number>>();
    for (const operation of Object.values(document.paths).flatMap(Object.values<Node>)) {
      for (const [status, response] of Object.entries(operation["responses"] as Node)) {
        const name = String((response as Node)["$ref"]).replace(/^.*\//, "");
        statuses.set(name, (statuses.get(name) ?? new Set()).add(Number(status)));
      }
    }
    for (const [name, response] of Object.entries(document.components.responses)) {
      const { examples } = (response["content"] as Record<string, { examples: Node }>)[
        "application/json"
      ] as { examples: Record<string, { value: { error: { code: string; type: string } } }> };
      for (const { value } of Object.values(examples)) {
        const { code, type } = value.error;
        expect([name, response["x-codes"]]).toEqual([name, expect.arrayContaining([code])]);
        for (const status of statuses.get(name) ?? []) {
          expect(document["x-error-codes"]).toContainEqual(
            expect.objectContaining({ code, type, status }),
          );
        }
      }
    }
  });
});
