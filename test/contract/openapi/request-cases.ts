/** Turns the document's constraints into test requests: bodies, query strings and headers. */
import { formOf } from "./client.ts";
import {
  deref,
  smallestExample,
  textOf,
  type Json,
  type Operation,
  type Parameter,
} from "./document.ts";
import { codeOf } from "./keywords.ts";
import { bodyCases, validValue, valueCases } from "./value-cases.ts";

export type RequestCase = {
  name: string;
  /** Begins with a question mark, or is empty. */
  query: string;
  headers: [name: string, value: string][];
  /** Absent where the operation's own example is sent. */
  body?: string;
  /** Sent in place of the body. */
  form?: FormData;
  /** The error that the response must have; absent where the request is valid. */
  fault?: { code: string; param: string | undefined };
};

/** All cases of the operation. */
export function requestCases(operation: Operation): RequestCase[] {
  const body = operation.body && { body: JSON.stringify(smallestExample(operation)) };
  const plain: RequestCase = { name: "", query: "", headers: [], ...body };
  return [
    ...bodiesOf(operation).map((one) => ({ ...plain, ...one })),
    ...formsOf(operation).map((one) => ({ ...plain, ...one })),
    ...operation.parameters
      .filter((one) => one.in === "query")
      .flatMap((one) => queryCases(one).map((made) => ({ ...absentIn(operation, one), ...made })))
      .map((one) => ({ ...plain, ...one })),
    ...operation.parameters
      .filter((one) => one.in === "header")
      .flatMap(headerCases)
      .map((one) => ({ ...plain, ...one })),
    ...unknownQueries().map((one) => ({ ...plain, ...one })),
  ];
}

type Case = Partial<RequestCase> & { name: string };

/** The gateway keeps the list of requests itself, and the test's account has made none of the made-up ids. */
function absentIn({ id }: Operation, { name }: Parameter): Pick<Case, "fault"> {
  const isOfKept = id === "listRequests" && name === "after";
  return isOfKept ? { fault: { code: "invalid_value", param: name } } : {};
}

function bodiesOf(operation: Operation): Case[] {
  if (!operation.body) return [];
  const examples = operation.body.examples.map((example, index) => ({
    name: `body: the document's example ${index + 1}`,
    body: JSON.stringify(example),
  }));
  const cases = bodyCases(operation.body.schema, smallestExample(operation)).map((one) => ({
    name: `body: ${one.what}`,
    body: JSON.stringify(one.value),
    ...(one.fault && { fault: { ...one.fault, param: one.fault.param || undefined } }),
  }));
  return [...examples, ...cases, ...brokenBodies()];
}

/** Those that a form can carry: its values are texts and files. */
function formsOf(operation: Operation): Case[] {
  const { form } = operation;
  if (!form) return [];
  const isText = (value: Json | undefined) => typeof value === "string" && value.isWellFormed();
  const isCarried = (value: Json | undefined) =>
    isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));
  const canSend = (fields: Json | undefined): fields is { [name: string]: Json } =>
    isRecord(fields) && Object.values(fields).every(isCarried);
  return bodyCases(form.schema, smallestExample(operation, form)).flatMap((one) => {
    const { what, value, fault } = one;
    // A browser writes a name with such characters in its own way.
    if (!canSend(value) || Object.keys(value).some((name) => !/^[\w[\]]+$/.test(name))) return [];
    const isFileForText = /: ".*", of another type$/.test(what);
    return isFileForText
      ? []
      : [
          {
            name: `form: ${what}`,
            form: formOf(operation, value),
            ...(fault && { fault: { ...fault, param: fault.param || undefined } }),
          },
        ];
  });
}

function isRecord(value: unknown): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function brokenBodies(): Case[] {
  const texts = ["", "{", "{}{}", '{"a":1,}', "{'a':1}", '{"a":NaN}', '{"a":"\u0001"}', "\uFEFF,"];
  return texts.map((body) => ({
    name: `body: ${JSON.stringify(body)}, not JSON`,
    body,
    fault: { code: "invalid_json", param: undefined },
  }));
}

/** Query values are text; a number is a text that parses as one. */
function queryCases({ name, required, schema: node }: Parameter): Case[] {
  const schema = deref(node);
  const types = [schema["type"] ?? []].flat();
  const isText = types.includes("string");
  const wrong = isText ? [] : ["abc", "", "null", "5;"];
  const values = valueCases(schema).filter(({ value }) =>
    isText
      ? // A URL cannot contain an unpaired surrogate.
        typeof value === "string" && value.isWellFormed()
      : // Query parameters do not accept exponents, which JSON.stringify writes.
        typeof value === "number" && !textOf(value).includes("e"),
  );
  const valid = textOf(validValue(schema));
  const queryOf = (...texts: string[]) =>
    `?${texts.map((text) => `${name}=${encodeURIComponent(text)}`).join("&")}`;
  const typeFault = { code: codeOf(schema, "type"), param: name };
  return [
    ...values.map((one) => ({
      name: `query ${name}: ${one.what}`,
      query: queryOf(textOf(one.value)),
      ...(one.fault && { fault: { code: one.fault.code, param: name } }),
    })),
    ...wrong.map((text) => ({
      name: `query ${name}: ${JSON.stringify(text)}, of another type`,
      query: queryOf(text),
      fault: typeFault,
    })),
    { name: `query ${name}: sent twice`, query: queryOf(valid, valid), fault: typeFault },
    ...(required
      ? [{ name: `query ${name}: absent`, fault: { code: "missing_field", param: name } }]
      : []),
  ];
}

function unknownQueries(): Case[] {
  return ["surely_unknown", "__proto__", "constructor", "%00"].map((name) => ({
    name: `query: an unknown ${name}`,
    query: `?${name}=1`,
    fault: { code: "unknown_field", param: decodeURIComponent(name) },
  }));
}

/** Values that an HTTP header can carry: Latin-1, no control characters, no surrounding spaces. */
const HEADER_VALUE =
  /^(|[!-~\u0080-\u00ff]|[!-~\u0080-\u00ff][ -~\u0080-\u00ff]*[!-~\u0080-\u00ff])$/;

function headerCases({ name, schema: node }: Parameter): Case[] {
  return valueCases(node)
    .filter(({ value }) => typeof value === "string" && HEADER_VALUE.test(value))
    .map((one) => ({
      name: `header ${name}: ${one.what}`,
      headers: [[name, textOf(one.value)]] as [string, string][],
      ...(one.fault && { fault: { code: one.fault.code, param: name } }),
    }));
}
