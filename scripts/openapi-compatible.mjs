/** Finds what an OpenAPI document no longer contains: clients of a release find all of it in later ones. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** What explains the contract and is no part of it. */
const TEXT =
  /^(openapi|info|description|summary|title|examples?|tags|x-(?!codes|error-codes|unmatched|max-body).*)$/;
/** What refuses values, or requests, where it was absent. */
const NARROWS =
  /^(type|enum|const|format|pattern|required|additionalProperties|dependentRequired|security|max\w+|min\w+)$/;
const UPPER = /^(max\w+|exclusiveMaximum|x-max-body-bytes)$/;
const LOWER = /^(min\w+|exclusiveMinimum)$/;
/** What clients are told, and do not send. */
const TOLD = /^(responses|webhooks|x-unmatched-responses)$/;
/** Its keys are names that the document gives, and no keywords. */
const NAMES = /^(properties|paths|parameters|headers|responses|webhooks|content|securitySchemes)$/;

export function readDocument(file) {
  return parse(readFileSync(file, "utf8"));
}

/** One line for each place of `before` that `after` does not contain. */
export function breakingChanges(before, after) {
  return missing(contract(before), contract(after), { path: "", isTold: false, areNames: false });
}

/** `isTold`: clients read it. `areNames`: the keys of both are names. */
function missing(was, now, { path, isTold, areNames }) {
  if (Array.isArray(was)) {
    const isThere = (one) =>
      [now].flat().some((other) => missing(one, other, { path, isTold }).length === 0);
    const gone = was.filter((one) => !isThere(one));
    return gone.map((one) => `${path}: ${JSON.stringify(one)} is gone`);
  }
  if (!isObject(was) || !isObject(now)) return was === now ? [] : [`${path}: ${was} became ${now}`];
  return [...new Set([...Object.keys(was), ...Object.keys(now)])].flatMap((key) => {
    const [value, next] = [was[key], now[key]];
    const narrows = !areNames && !isTold && NARROWS.test(key);
    if ((!areNames && TEXT.test(key)) || value === next) return [];
    if (next === undefined) return narrows ? [] : [`${path}/${key}: is gone`];
    if (value === undefined) {
      const isDemanded = !isTold && next?.required === true;
      return isDemanded || (narrows && next !== false) ? [`${path}/${key}: is new`] : [];
    }
    if (key === "required" && narrows) {
      const isMore = [next].flat().some((one) => one !== false && ![value].flat().includes(one));
      return isMore ? [`${path}/required: ${next}`] : [];
    }
    const isWider = (UPPER.test(key) && next >= value) || (LOWER.test(key) && next <= value);
    if (!areNames && !isTold && isWider) return [];
    if (isTold && /^(any|one)Of$/.test(key) && next.length > value.length)
      return [`${path}/${key}: another alternative`];
    return missing(value, next, {
      path: `${path}/${key}`,
      isTold: isTold || (!areNames && TOLD.test(key)),
      areNames: !areNames && NAMES.test(key),
    });
  });
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** What binds, with schemas where they are used, and parameters by their name. */
function contract(document) {
  const inlined = (node, way = []) => {
    if (!isObject(node) || way.includes(node.$ref)) return node;
    if (Array.isArray(node)) return node.map((one) => inlined(one, way));
    if (typeof node.$ref === "string") {
      const [, ...steps] = node.$ref.split("/");
      const target = steps.reduce((at, step) => at[step], document);
      return inlined(target, [...way, node.$ref]);
    }
    const entries = Object.entries(node).map(([key, value]) => {
      const whole = inlined(value, way);
      if (key !== "parameters" || !Array.isArray(whole)) return [key, whole];
      return [key, Object.fromEntries(whole.map((one) => [`${one.in} ${one.name}`, one]))];
    });
    return Object.fromEntries(entries);
  };
  const { components, ...parts } = document;
  return inlined({ ...parts, securitySchemes: components?.securitySchemes });
}
