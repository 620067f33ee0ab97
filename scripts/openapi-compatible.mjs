/** Checks that the OpenAPI document still contains what was released: clients of a release find all of it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";

/** A check that has nothing to compare with. */
export const NOTHING_RELEASED = { ok: true, output: "nothing is released yet" };

/** What explains the contract and is no part of it. */
const TEXT =
  /^(description|summary|title|examples?|tags|x-(?!codes|error-codes|unmatched|max-body).*)$/;
/** What refuses values, or requests, where it was absent. */
const NARROWS =
  /^(type|enum|const|format|pattern|required|additionalProperties|dependentRequired|security|max\w+|min\w+)$/;
const UPPER = /^(max\w+|exclusiveMaximum|x-max-body-bytes)$/;
const LOWER = /^(min\w+|exclusiveMinimum)$/;
/** What clients are told, and do not send. */
const TOLD = /^(responses|webhooks|x-unmatched-responses)$/;
/** Its keys are names that the document gives, and no keywords. */
const NAMES = /^(properties|paths|headers|responses|webhooks|content|securitySchemes)$/;

export function readDocument(file) {
  return parse(readFileSync(file, "utf8"));
}

/** One line for each place of `before` that `after` does not contain. */
export function breakingChanges(before, after) {
  const found = (doc, node) => {
    if (typeof node?.$ref !== "string") return node;
    const name = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");
    const steps = node.$ref.slice("#/".length).split("/");
    return found(
      doc,
      steps.reduce((at, step) => at?.[name(step)], doc),
    );
  };

  /** A parameter or body that a client must send. */
  const isDemanded = (node) => found(after, node)?.required === true;
  /** Of a parameter, e.g. "query limit"; undefined for anything else. */
  const parameterName = (doc, node) => {
    const { in: location, name } = found(doc, node) ?? {};
    return location && `${location} ${name}`;
  };

  /** `isTold`: clients read it. `areNames`: the keys of both are names. `seen`: the pairs of references on the way. */
  const missing = (oldNode, newNode, { path, isTold, areNames, seen }) => {
    const pair = oldNode?.$ref && `${oldNode.$ref} ${newNode?.$ref}`;
    if (seen.includes(pair)) return [];
    const [was, now] = [found(before, oldNode), found(after, newNode)];
    const at = (key) => ({
      path: `${path}/${key}`,
      isTold: isTold || (!areNames && TOLD.test(key)),
      areNames: !areNames && NAMES.test(key),
      seen: pair ? [...seen, pair] : seen,
    });
    if (Array.isArray(was)) {
      const others = [now].flat();
      const names = was.map((one) => parameterName(before, one));
      const lines = was.flatMap((one, index) => {
        const name = names[index];
        const same = name && others.find((other) => parameterName(after, other) === name);
        if (same) return missing(one, same, at(name));
        const isThere = others.some((other) => missing(one, other, at("")).length === 0);
        return isThere ? [] : [`${path}: ${JSON.stringify(one)} is gone`];
      });
      const isAdded = (one) => isDemanded(one) && !names.includes(parameterName(after, one));
      const added = isTold ? [] : others.filter(isAdded);
      return [
        ...lines,
        ...added.map((one) => `${path}: ${JSON.stringify(one)} is new and required`),
      ];
    }
    if (!isObject(was) || !isObject(now)) {
      return isDeepStrictEqual(was, now) ? [] : [`${path}: ${was} became ${now}`];
    }
    const isKept = (key) => {
      const [value, next] = [was[key], now[key]];
      if (areNames) return false;
      if (TEXT.test(key)) return true;
      if (isTold) return false;
      if (next === undefined) return NARROWS.test(key);
      if (key === "required") return !isRequiredMore(value, next);
      return (UPPER.test(key) && next >= value) || (LOWER.test(key) && next <= value);
    };
    const gone = Object.keys(was).flatMap((key) => {
      if (isKept(key)) return [];
      if (key === "required" && !isTold && !areNames) return [`${path}/required: ${now[key]}`];
      if (now[key] === undefined) return [`${path}/${key}: is gone`];
      const isWider = isTold && /^(any|one)Of$/.test(key) && now[key].length > was[key].length;
      return isWider
        ? [`${path}/${key}: another alternative`]
        : missing(was[key], now[key], at(key));
    });
    const isNew = (key) =>
      !(key in was) && (NARROWS.test(key) ? key !== "required" || now[key] : isDemanded(now[key]));
    const added = areNames || isTold ? [] : Object.keys(now).filter(isNew);
    return [...gone, ...added.map((key) => `${path}/${key}: is new`)];
  };
  const start = { path: "", isTold: false, areNames: false, seen: [] };
  return missing(contract(before), contract(after), start);
}

/** A field or parameter is required that was not. */
function isRequiredMore(was, now) {
  return [now].flat().some((one) => one !== false && ![was].flat().includes(one));
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** Schemas are compared where they are used. */
function contract(document) {
  const parts = { ...document, securitySchemes: document.components?.securitySchemes };
  const isPart = ([key, value]) =>
    value !== undefined && !/^(openapi|info|components|tags|jsonSchemaDialect)$/.test(key);
  return Object.fromEntries(Object.entries(parts).filter(isPart));
}

/** Compares the document with the release of its major version, if there is one. */
export function checkReleased(file, folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const document = readDocument(file);
  const released = names.find((name) => name.split(".")[0] === document.info.version.split(".")[0]);
  if (!released) return NOTHING_RELEASED;
  const lines = breakingChanges(readDocument(join(folder, released)), document);
  const advice = "Keep what was promised, or raise the major number of info.version.";
  const output = [`not as ${released} promised:`, ...lines, advice].join("\n");
  return { ok: lines.length === 0, output };
}
