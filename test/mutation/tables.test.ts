/** The tables of guards follow the code. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { TABLES } from "./tables.ts";

describe.each([...TABLES])("each guard of %s", (_service, table) => {
  it("stands exactly once in its file, and has a test file", async () => {
    const lost: string[] = [];
    for (const { guard, file, old, test } of table) {
      const places = (await readFile(file, "utf8")).split(old).length - 1;
      if (places !== 1 || !existsSync(test)) lost.push(`${guard}: ${places} in ${file}, ${test}`);
    }
    expect(lost).toEqual([]);
  });
});
