/** Every pattern and format of the documents, the protos and the services, against long texts that almost match. */
import { glob, readFile } from "node:fs/promises";
import ts from "typescript";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { readJson } from "../../../services/gateway/edge/http/contract.ts";
import { createCheckers } from "../../../services/gateway/edge/validation/checker.ts";
import { findRpcs } from "../proto/rpcs.ts";
import { rulesOf } from "../proto/rules.ts";
import { costFault } from "./cost.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { isLong } from "../../support/test-size.ts";
import { allowNone } from "#runtime/address.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

/** In long runs a body of the largest size. */
const MAX_CHARACTERS = isLong ? 250_000 : 64_000;
/** A pattern whose cost grows with the square is found before it takes minutes. */
const SIZES = [MAX_CHARACTERS / 32, MAX_CHARACTERS];

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
  sizes = SIZES,
): Promise<string | undefined> {
  const examples = schema.examples?.map(String) ?? [];
  const ends = ["!", "\u0001"];
  for (const { name, of } of hostileTexts({ examples, pattern: schema.pattern, ends })) {
    for (const size of sizes) {
      const fault = await costFault({ input: of, read }, size);
      if (fault !== undefined) return `${name} of ${size} characters ${fault}`;
    }
  }
  return undefined;
}

describe.each(["media", "dashboard"] as const)("in openapi/%s.yaml", (name) => {
  const schemas = [...textSchemas(JSON.parse(readJson(name)))].map(([text, schema]) => ({
    text,
    schema,
  }));
  const checkerFor = createCheckers(
    allowNone,
    () => "",
    () => "",
  );

  it.each(schemas)("$text costs no more than its text is long", async ({ schema }) => {
    const properties = { text: { type: "string", ...schema } };
    const check = checkerFor("body", { type: "object", properties } as object);
    expect(await faultOf(schema, (text) => check({ text }))).toBeUndefined();
  });
});

describe("in the protos", () => {
  it("no pattern costs more than its text is long", async () => {
    const patterns = new Set<string>();
    const seen = new Set<string>();
    const look = (message: DescMessage) => {
      if (seen.has(message.typeName)) return;
      seen.add(message.typeName);
      message.fields.forEach((field: DescField) => {
        const { pattern, items, keys, values } = rulesOf(field);
        const all = [pattern, items?.pattern, keys?.pattern, values?.pattern];
        for (const one of all) if (one !== undefined) patterns.add(one);
        if (field.message) look(field.message);
      });
    };
    for (const { method } of await findRpcs()) look(method.input);
    expect(patterns.size).toBeGreaterThan(2);
    const faults = [];
    for (const pattern of patterns) {
      // The interceptor that validates messages compiles it in this way.
      const compiled = new RegExp(pattern, "u");
      faults.push(await faultOf({ pattern }, (text) => compiled.test(text)));
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});

describe("in the services", () => {
  it("no regular expression costs more than its text is long", async () => {
    const found = new Map<string, RegExp>();
    const look = (node: ts.Node) => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
        found.set(node.text, new RegExp(source, flags));
      }
      ts.forEachChild(node, look);
    };
    for await (const file of glob("services/**/*.ts")) {
      look(ts.createSourceFile(file, await readFile(file, "utf8"), ts.ScriptTarget.Latest));
    }
    expect(found.size).toBeGreaterThan(100);
    const faults: string[] = [];
    for (const [text, pattern] of found) {
      const fault = await faultOf(
        { pattern: pattern.source },
        (long) => long.match(pattern),
        [16_000],
      );
      if (fault !== undefined) faults.push(`${text}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});
