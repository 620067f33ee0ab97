/** Where a text stops being JSON. */
import { expect, it } from "vitest";
import { jsonFault } from "../../../../services/gateway/edge/validation/json-text.ts";

it.each([
  ["", "It ends at line 1, column 1, where a value is missing."],
  ['{"model":"m"', "It ends at line 1, column 13, where a comma or } is missing."],
  ['{"prompt":"a cat', "It ends at line 1, column 17, where a closing quote is missing."],
  [
    '{\n  "model": "m",\n}',
    'At line 3, column 1 it has "}" in place of a field name in double quotes.',
  ],
  [
    "{'model': 'm'}",
    `At line 1, column 2 it has "'" in place of a field name in double quotes or }.`,
  ],
  ['{"model" "m"}', "At line 1, column 10 it has a double quote in place of a colon."],
  ['{"n":1 "seed":2}', "At line 1, column 8 it has a double quote in place of a comma or }."],
  ['{"audio":True}', 'At line 1, column 10 it has "True" in place of a value.'],
  ["[undefinedValueOfAClient]", 'At line 1, column 2 it has "undefined" in place of a value or ].'],
  ["{}{}", 'At line 1, column 3 it has "{" in place of its end.'],
  ['{"prompt":"a\nb"}', "At line 1, column 13 it has U+000A in place of an escape such as \\n."],
  [String.raw`["\x"]`, 'At line 1, column 3 it has "\\" in place of an escape such as \\n.'],
])("the fault of %j is told by its line and column", (text, told) => {
  expect(jsonFault(text)).toBe(told);
});

/** One of JSON's own pieces, by a number. */
const PIECES = ["{", "}", "[", "]", ",", ":", '"a"', '"', "\\", " \n", "-1.5e3", "0", "null", "x"];

it("a text has a fault where JSON.parse finds one, and else none", () => {
  let seed = 1;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  const valid = '{"a":[1,{"b":"\\u0061"},[],{}],"c":null,"d":-0.5e-1}';
  for (let count = 0; count < 20_000; count += 1) {
    const at = next() % valid.length;
    const piece = PIECES[next() % PIECES.length] ?? "";
    const text = valid.slice(0, at) + piece + valid.slice(at + (next() % 3));
    expect([text, jsonFault(text) === undefined]).toEqual([text, isJson(text)]);
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
