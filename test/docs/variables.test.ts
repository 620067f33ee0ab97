/** docs/variables.md lists what the config readers read (`npm run variables` writes it). */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { observeReads, type Env, type Variable } from "#runtime/env.ts";
import { readConfig as readBilling } from "../../services/billing/config.ts";
import { readConfig as readDelivery } from "../../services/delivery/config.ts";
import { readConfig as readGateway } from "../../services/gateway/config.ts";
import { readConfig as readGeneration } from "../../services/generation/config.ts";
import {
  readConfig as readOps,
  readMigrateConfig,
  readProvisionConfig,
} from "../../services/ops/session/config.ts";
import { readConfig as readSimulator } from "../../services/simulator/config.ts";
import { readConfig as readStandalone } from "../../services/standalone/settings/config.ts";

const SERVICES = {
  gateway: variablesOf(readGateway),
  generation: variablesOf(readGeneration),
  billing: variablesOf(readBilling),
  delivery: variablesOf(readDelivery),
};
/** Whatever machine the documentation is written on. */
const ONE_CORE = 1;
const OTHERS = {
  simulator: variablesOf(readSimulator),
  "npm start": variablesOf((env) => readStandalone(env, ONE_CORE)),
};
const OPS = [readOps, readProvisionConfig, readMigrateConfig].flatMap(
  (read: (env: Env) => unknown) => variablesOf(read),
);

const COMMON = SERVICES.billing.filter(({ name }) =>
  Object.values(SERVICES).every((service) => service.some((one) => one.name === name)),
);
const isCommon = ({ name }: { name: string }) => COMMON.some((one) => one.name === name);

const sections: [string, DocumentedVariable[]][] = [
  ["gateway, generation, billing and delivery", COMMON],
  ...Object.entries(SERVICES)
    .map(([name, all]): [string, DocumentedVariable[]] => [
      name,
      all.filter((one) => !isCommon(one)),
    ])
    .filter(([, own]) => own.length > 0),
  ...Object.entries(OTHERS),
  ["ops", OPS],
];

/** What `npm start` does not read, because it decides it for the one machine that it runs on. */
const CHOSEN_BY_NPM_START = [
  ...new Set([...Object.values(SERVICES), OTHERS.simulator].flat().map(({ name }) => name)),
].filter((name) => OTHERS["npm start"].every((own) => own.name !== name));

/** What a row says of its variable, after the setting with which alone it is read. */
const ROW = /^\| `([^`]+)` \|.*\| (?:with `[A-Z_]+=\w+`: )?(.*) \|$/;

const WITHOUT_MEANING = /[|:] +\|$/m;

/** By section and name, and by name alone from its first row: the document itself is where meanings are written. */
const MEANINGS = new Map(
  readFileSync("docs/variables.md", "utf8")
    .split("\n## ")
    .flatMap((text) => {
      const [name = "", ...lines] = text.split("\n");
      return lines.flatMap((line): [string, string][] => {
        const [, variable, meaning = ""] = ROW.exec(line) ?? [];
        return variable ? [`${name} ${variable}`, variable].map((key) => [key, meaning]) : [];
      });
    })
    .toReversed(),
);

it("docs/variables.md lists every variable that a config reader reads, with its meaning", async () => {
  const shown = new Set<string>();
  const text = `# Variables

\`npm run variables\` writes it from the config readers, except the meanings, which are written here. An empty variable
counts as unset. A wrong or missing value stops the start with a line that names it; all problems are reported at once.
Lists are separated by commas. A port of 0 is any free port.
${sections.map(([name, variables]) => section(name, variables, shown)).join("")}`;
  await expect(text).toMatchFileSnapshot("../../docs/variables.md");
  expect(text).not.toMatch(WITHOUT_MEANING);
});

/** What stands above the table of `npm start`. */
const INTRODUCTION = `It takes every variable of the services except those that it chooses itself: ${listed(CHOSEN_BY_NPM_START.toSorted())}.

These have a default or a meaning of their own:

`;

/** The variables of all services' roles have one row. */
const ROLE_PASSWORD = /^(?:BILLING|DELIVERY|GATEWAY|GENERATION)_(OWNER_)?PASSWORD$/;

/** A row that an earlier section has is named above the table, unless `npm start` takes it as it takes all. */
function section(name: string, variables: DocumentedVariable[], shown: Set<string>): string {
  const rows = new Map(
    variables.map((variable): [string, string] => {
      const shownName = variable.name.replace(ROLE_PASSWORD, "<SERVICE>_$1PASSWORD");
      const meaning = MEANINGS.get(`${name} ${shownName}`) ?? MEANINGS.get(shownName) ?? "";
      const only = variable.only === undefined ? "" : `with \`${variable.only}\`: `;
      const row = `| \`${shownName}\` | ${typeOf(variable)} | ${fallbackOf(variable)} | ${only}${meaning} |`;
      return [shownName, row];
    }),
  );
  const own = [...rows].filter(([, row]) => !shown.has(row));
  const asAbove = [...rows].filter(([, row]) => shown.has(row)).map(([variable]) => variable);
  for (const [, row] of own) shown.add(row);
  const repeated =
    asAbove.length === 0 || name === "npm start" ? "" : `As above: ${listed(asAbove)}.\n\n`;
  return `\n## ${name}\n\n${name === "npm start" ? INTRODUCTION : ""}${repeated}| Variable | Value | Default | Meaning |\n|---|---|---|---|\n${own.map(([, row]) => row).join("\n")}\n`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function typeOf({ type }: DocumentedVariable): string {
  return type
    .replace(/^whole number, /, "")
    .replace(/, separated by commas$/, "")
    .replace("path of a file", "file")
    .replace(/^one of (\w+), (\w+)$/, "`$1`, `$2`");
}

function fallbackOf({ isRequired, fallback }: DocumentedVariable): string {
  if (isRequired) return "required";
  return fallback ? `\`${fallback}\`` : "";
}

type Environment = Record<string, string>;
type Compose = { services: Record<string, { environment?: Environment }> };
type Values = Compose & { environment: Environment; simulator: { environment: Environment } };

const KNOWN = Object.entries({ ...SERVICES, simulator: OTHERS.simulator });

/** The variables of `environmentOf` that its service does not read. Each service has NODE_ENV. */
function unknownIn(environmentOf: (service: string) => Environment): string[] {
  return KNOWN.flatMap(([name, variables]) =>
    Object.keys(environmentOf(name))
      .filter((one) => one !== "NODE_ENV" && !variables.some((known) => known.name === one))
      .map((one) => `${name} ${one}`),
  );
}

it("compose.yaml and the chart set only variables that their services read", () => {
  const read = (path: string): unknown => parse(readFileSync(path, "utf8"), { merge: true });
  const { services } = read("deploy/compose.yaml") as Compose;
  const values = read("deploy/helm/values.yaml") as Values;
  const inChart = (name: string) =>
    name === "simulator"
      ? values.simulator.environment
      : { ...values.environment, ...values.services[name]?.environment };
  expect(unknownIn((name) => services[name]?.environment ?? {})).toEqual([]);
  expect(unknownIn(inChart)).toEqual([]);
});

type DocumentedVariable = Variable & {
  /** The setting with which alone it is read, such as `STORAGE=s3`. */
  only: string | undefined;
};

type ReadConfig = (env: Env) => unknown;

/** The variables of a service, by its config reader on environments that lead into all its branches. */
function variablesOf(readConfig: ReadConfig): DocumentedVariable[] {
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
