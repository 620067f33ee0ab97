/** The names under which statements are counted. */
import { expect, it } from "vitest";
import { statementName } from "#runtime/postgres/statement.ts";

const template = (strings: TemplateStringsArray, ..._values: unknown[]) => strings;

it.each([
  [template`select id from generation.generations where id = ${1}`, "select generations"],
  [template`\n with due as (select ${1}) update billing.holds set a = ${2}`, "update holds"],
  [['insert into "gateway"."users" (id) values ($1)'], "insert users"],
  [template`select 1 as one`, "select"],
  [template`listen ${"x"}`, "other"],
])("%j is %s", (text, name) => {
  expect(statementName(text)).toBe(name);
});
