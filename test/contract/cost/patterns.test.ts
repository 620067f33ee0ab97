/** Every pattern and format of the documents, the protos and the services, against long texts that almost match. */
import { glob, readFile } from "node:fs/promises";
import ts from "typescript";
import { readDocument } from "../../../services/gateway/edge/http/contract.ts";
import { createCheckers } from "../../../services/gateway/edge/validation/checker.ts";
import { costFault } from "./cost.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { isLong } from "../../support/test-size.ts";
import { allowNone } from "#runtime/address.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

/** In long runs a body of the largest size. In less than that of all others, more squares pass costFault as noise. */
const CHARACTERS = isLong ? 250_000 : 32_000;

type TextSchema = { pattern?: string; format?: string; examples?: string[] };

/** The schemas of a document, by what they demand of a text. */
function textSchemas(document: unknown): Map<string, TextSchema> {
  const found = new Map<string, TextSchema>();
  const look = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    const { pattern, format, examples } = node as TextSchema;
    if (typeof pattern === "string" || typeof format === "string") {
      const schema = { ...(pattern && { pattern }), ...(format && { format }) };
      found.set(JSON.stringify(schema), { ...schema, ...(examples && { examples }) });
    }
    Object.values(node).forEach(look);
  };
  look(document);
  return found;
}

/** The first text that costs too much. */
async function faultOf(
  schema: TextSchema,
  read: (text: string) => unknown,
): Promise<string | undefined> {
  const examples = schema.examples?.map(String) ?? [];
  for (const { name, of } of hostileTexts({ examples, pattern: schema.pattern })) {
    const fault = await costFault({ input: of, read }, CHARACTERS);
    if (fault !== undefined) return `${JSON.stringify(schema)}: ${name} ${fault}`;
  }
  return undefined;
}

it.each(["media", "dashboard", "openai"] as const)(
  "no pattern or format of openapi/%s.yaml costs more than its text is long",
  async (name) => {
    const none = () => "";
    const checkerFor = createCheckers(allowNone, none, none);
    const faults = [];
    for (const schema of textSchemas(readDocument(name)).values()) {
      const properties = { text: { type: "string", ...schema } };
      const check = checkerFor("body", { type: "object", properties } as object);
      faults.push(await faultOf(schema, (text) => check({ text })));
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  },
);

it("no pattern of the protos costs more than its text is long", async () => {
  const patterns = new Set<string>();
  for await (const file of glob("proto/media/**/*.proto")) {
    const text = await readFile(file, "utf8");
    for (const [, pattern = ""] of text.matchAll(/\bpattern: ("(?:[^"\\]|\\.)*")/g))
      patterns.add(JSON.parse(pattern) as string);
  }
  expect(patterns.size).toBeGreaterThan(2);
  const faults = [];
  for (const pattern of patterns) {
    // The interceptor that validates messages compiles it in this way.
    const compiled = new RegExp(pattern, "u");
    faults.push(await faultOf({ pattern }, (text) => compiled.test(text)));
  }
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

/** A pattern in the call itself would make knip count every export of these files as used. */
const SOURCES = "services/**/*.ts";

it("no regular expression of the services costs more than its text is long", async () => {
  const found = new Map<string, RegExp>();
  const look = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.set(node.text, new RegExp(source, flags));
    }
    ts.forEachChild(node, look);
  };
  for await (const file of glob(SOURCES)) {
    look(ts.createSourceFile(file, await readFile(file, "utf8"), ts.ScriptTarget.Latest));
  }
  expect(found.size).toBeGreaterThan(100);
  const faults: string[] = [];
  for (const pattern of found.values()) {
    const fault = await faultOf({ pattern: pattern.source }, (long) => long.match(pattern));
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});
