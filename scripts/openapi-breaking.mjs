/** Finds changes of the OpenAPI document that break clients of an older version. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { refusals, resolve } from "./schema-breaking.mjs";

/** A check that has nothing to compare with. */
export const NOTHING_RELEASED = { ok: true, output: "nothing is released yet" };

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** One line for each change between two parsed documents that breaks clients of `before`. */
export function breakingChanges(before, after) {
  const lines = [];
  const both = { before, after, report: (where, line) => lines.push(`${where}: ${line}`) };
  for (const [name, { op, path }] of operations(before.paths)) {
    const now = operations(after.paths).get(name);
    if (now) compareOperation(both, name, { op, path }, now);
    else both.report(name, "the operation is gone");
  }
  for (const [name, { op }] of operations(before.webhooks)) {
    const now = operations(after.webhooks).get(name);
    if (now) compareWebhook(both, `webhook ${name}`, op, now.op);
    else both.report(`webhook ${name}`, "is gone");
  }
  compareResponses(
    both,
    "any path",
    before["x-unmatched-responses"],
    after["x-unmatched-responses"],
  );
  compareErrorCodes(both);
  if (!isDeepStrictEqual(urls(before), urls(after))) both.report("servers", "the address changed");
  if (after["x-max-body-bytes"] < before["x-max-body-bytes"]) {
    both.report("any request", `at most ${after["x-max-body-bytes"]} bytes`);
  }
  return lines;
}

function operations(paths) {
  const found = Object.entries(paths ?? {}).flatMap(([route, path]) =>
    METHODS.filter((method) => path[method]).map((method) => [
      `${method.toUpperCase()} ${route}`,
      { op: path[method], path },
    ]),
  );
  return new Map(found);
}

function urls({ servers = [] }) {
  return servers.map(({ url }) => url);
}

function compareOperation(both, name, was, now) {
  const { before, after, report } = both;
  if (!isDeepStrictEqual(authOf(before, was.op), authOf(after, now.op))) {
    report(name, "authentication changed");
  }
  if (was.op.operationId !== now.op.operationId) {
    report(name, `the operationId ${was.op.operationId} became ${now.op.operationId}`);
  }
  compareParameters(both, name, parametersOf(before, was), parametersOf(after, now));
  const [old, body] = [resolve(before, was.op.requestBody), resolve(after, now.op.requestBody)];
  if (body.required && !old.required) report(name, "a body is required");
  compareContent(both, `${name} body`, old.content, body.content, { isResponse: false });
  compareResponses(both, name, was.op.responses, now.op.responses);
}

/** The security requirements of an operation, with their schemes resolved. */
function authOf(doc, op) {
  const schemes = doc.components?.securitySchemes ?? {};
  return (op.security ?? doc.security ?? []).map((need) =>
    Object.entries(need).map(([name, scopes]) => {
      const { type, scheme, in: location, name: field } = resolve(doc, schemes[name]);
      return { type, scheme, location, field, scopes };
    }),
  );
}

function parametersOf(doc, { op, path }) {
  const all = [...(path.parameters ?? []), ...(op.parameters ?? [])].map((one) =>
    resolve(doc, one),
  );
  return new Map(all.map((one) => [`${one.in} ${one.name}`, one]));
}

function compareParameters({ before, after, report }, name, was, now) {
  for (const [key, parameter] of now) {
    if (parameter.required && !was.get(key)?.required) report(name, `${key} is required`);
  }
  for (const [key, parameter] of was) {
    const next = now.get(key);
    if (!next) {
      report(name, `${key} is not taken any more`);
      continue;
    }
    const [from, to] = [
      { doc: before, schema: parameter.schema },
      { doc: after, schema: next.schema },
    ];
    for (const line of refusals(from, to, { isResponse: false }))
      report(name, `${key} ${line}, refused`);
    reportDefault({ before, after, report }, `${name} ${key}`, parameter.schema, next.schema);
  }
}

/** A default is part of the contract: it is the meaning of an absent field. */
function reportDefault({ before, after, report }, where, was, now) {
  const [old, next] = [resolve(before, was), resolve(after, now)];
  if ("default" in old && !isDeepStrictEqual(old.default, next.default)) {
    report(where, "the default changed");
  }
  for (const [name, field] of Object.entries(old.properties ?? {})) {
    const other = next.properties?.[name];
    if (other) reportDefault({ before, after, report }, `${where} .${name}`, field, other);
  }
}

function compareContent(both, where, was = {}, now = {}, { isResponse }) {
  for (const [type, { schema }] of Object.entries(was)) {
    if (!now[type]) {
      both.report(where, `${type} is gone`);
      continue;
    }
    const old = { doc: both.before, schema };
    const next = { doc: both.after, schema: now[type].schema };
    const lines = isResponse
      ? refusals(next, old, { isResponse }).map((line) => `${line}, which was promised otherwise`)
      : refusals(old, next, { isResponse }).map((line) => `${line}, refused`);
    for (const line of lines) both.report(where, line);
    if (!isResponse) reportDefault(both, where, schema, now[type].schema);
  }
}

function compareResponses(both, name, was = {}, now = {}) {
  for (const [status, response] of Object.entries(was)) {
    const where = `${name} ${status}`;
    if (!now[status]) {
      both.report(where, "the status is gone");
      continue;
    }
    const [old, next] = [resolve(both.before, response), resolve(both.after, now[status])];
    for (const code of old["x-codes"] ?? []) {
      if (!(next["x-codes"] ?? []).includes(code)) both.report(where, `the code ${code} is gone`);
    }
    for (const [header, value] of Object.entries(old.headers ?? {})) {
      const [oldHeader, newHeader] = [
        resolve(both.before, value),
        resolve(both.after, next.headers?.[header]),
      ];
      if (!next.headers?.[header]) both.report(where, `the header ${header} is gone`);
      else if (oldHeader.required && !newHeader.required)
        both.report(where, `${header} may be absent`);
    }
    compareContent(both, where, old.content, next.content, { isResponse: true });
  }
}

/** The directions are reversed: the service sends the request, the client responds. */
function compareWebhook(both, name, was, now) {
  const { before, after, report } = both;
  const next = parametersOf(after, { op: now, path: {} });
  for (const key of parametersOf(before, { op: was, path: {} }).keys()) {
    if (!next.has(key)) report(name, `${key} is gone`);
  }
  const [old, body] = [resolve(before, was.requestBody), resolve(after, now.requestBody)];
  compareContent(both, `${name} body`, old.content, body.content, { isResponse: true });
  for (const status of Object.keys(was.responses ?? {})) {
    if (!now.responses?.[status]) report(name, `the answer ${status} is not understood any more`);
  }
}

function compareErrorCodes({ before, after, report }) {
  const key = ({ code, status, type }) => `${code} (${status} ${type})`;
  const now = new Set((after["x-error-codes"] ?? []).map(key));
  for (const one of before["x-error-codes"] ?? []) {
    if (!now.has(key(one))) report("error codes", `${key(one)} is gone`);
  }
}

export function readDocument(file) {
  return parse(readFileSync(file, "utf8"));
}

/**
 * Compares the document with the newest release of its major version. A new major version has nothing to compare with.
 */
export function checkReleased(file, folder) {
  const document = readDocument(file);
  const [major] = document.info.version.split(".");
  const released = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".yaml"))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (released.length === 0) return NOTHING_RELEASED;
  const newest = released.findLast((name) => name.split(".")[0] === major);
  if (!newest) return { ok: true, output: "" };
  const lines = breakingChanges(readDocument(join(folder, newest)), document);
  const advice = "Keep what was promised, or raise the major number of info.version.";
  const output = [`${lines.length} breaking changes since ${newest}:`, ...lines, advice].join("\n");
  return { ok: lines.length === 0, output };
}
