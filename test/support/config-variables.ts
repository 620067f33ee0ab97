/** Finds the variables of a service by running its config reader on environments that lead into all its branches. */
import { resolve } from "node:path";
import { observeReads, type Env, type Variable } from "#runtime/env.ts";

export type DocumentedVariable = Variable & {
  /** The setting with which alone it is read, such as `STORAGE=s3`. */
  only: string | undefined;
};

type ReadConfig = (env: Env) => unknown;

export function variablesOf(readConfig: ReadConfig): DocumentedVariable[] {
  const found = new Map<string, DocumentedVariable>();
  const visit = (env: Env, only: string | undefined, mayRequire: boolean): void => {
    for (const variable of readsOf(readConfig, env)) {
      const known = found.get(variable.name);
      if (!known) {
        const isRequired = variable.isRequired && mayRequire;
        found.set(variable.name, { ...variable, isRequired, only });
        continue;
      }
      if (known.type === "text") known.type = variable.type;
      known.fallback ??= variable.fallback;
      known.isRequired ||= variable.isRequired && mayRequire && known.only === only;
    }
  };
  visit({}, undefined, true);
  for (const { name, allowed, fallback } of found.values()) {
    for (const value of allowed.filter((one) => one !== fallback)) {
      visit({ [name]: value }, `${name}=${value}`, true);
    }
  }
  const choices = new Set(
    [...found.values()].filter(({ allowed }) => allowed.length > 0).map(({ name }) => name),
  );
  const everything = new Proxy<Record<string, string>>(
    {},
    { get: (_target, name) => (typeof name === "string" && !choices.has(name) ? "x" : undefined) },
  );
  visit(everything, undefined, false);
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

function readsOf(readConfig: ReadConfig, env: Env): Variable[] {
  const reads: Variable[] = [];
  observeReads(env, (variable) => {
    // A default inside the project is shown from its root.
    const fallback = variable.fallback?.replace(`${resolve(".")}/`, "");
    reads.push({ ...variable, fallback });
  });
  try {
    readConfig(env);
  } catch {
    // These environments are not meant to be complete.
  }
  return reads;
}
