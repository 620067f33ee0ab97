/**
 * A Prometheus server with the configuration and the rules of deploy/observability. Two things differ: targets are
 * addresses that a test knows, and all times are a tenth.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startProgram } from "./process.ts";

const FILES = "deploy/observability";
const TIMES_QUICKER = 10;
const SECONDS = { s: 1, m: 60 };

type ScrapeConfig = {
  job_name: string;
  dns_sd_configs?: { names: string[]; port: number }[];
  static_configs?: { targets: string[] }[];
};
type Config = {
  global: Record<string, string>;
  rule_files: string[];
  scrape_configs: ScrapeConfig[];
};
type Rules = { groups: { rules: { expr: string; for?: string }[] }[] };

export type FiringAlert = { labels: { outage: string }; state: "pending" | "firing" };
export type Target = { labels: { job: string }; scrapeUrl: string; health: string };
export type EvaluatedRule = { name: string; health: string; lastError?: string };

export type Prometheus = AsyncDisposable & {
  /** The names of the alerts that fire. */
  firing: () => Promise<string[]>;
  targets: () => Promise<Target[]>;
  rules: () => Promise<EvaluatedRule[]>;
};

/** `addressesOf` a service's name and port are those of its replicas: `127.0.0.1:4711`. */
export async function startPrometheus(
  program: string,
  directory: string,
  addressesOf: (name: string, port: number) => string[],
): Promise<Prometheus> {
  await mkdir(directory, { recursive: true });
  const rulesFile = join(directory, "rules.json");
  const configFile = join(directory, "prometheus.json");
  await writeFile(rulesFile, JSON.stringify(quickRules(await readYaml<Rules>("rules.yaml"))));
  const config = await readYaml<Config>("prometheus.yaml");
  const scrapeConfigs = config.scrape_configs.map(({ dns_sd_configs: found = [], ...rest }) => ({
    ...rest,
    static_configs: found.map(({ names, port }) => ({
      targets: names.flatMap((name) => addressesOf(name, port)),
    })),
  }));
  const global = Object.entries(config.global).map(([name, text]) => [name, quick(text)]);
  const own = { global: Object.fromEntries(global) as object, rule_files: [rulesFile] };
  await writeFile(configFile, JSON.stringify({ ...config, ...own, scrape_configs: scrapeConfigs }));

  const address = `127.0.0.1:${await freePort()}`;
  const server = startProgram(
    program,
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=${address}`,
    ],
    {},
  );
  await server.says("Server is ready to receive web requests");
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    return ((await response.json()) as { data: T }).data;
  };
  return {
    async firing() {
      const { alerts } = await ask<{ alerts: FiringAlert[] }>("alerts");
      const names = alerts.filter(({ state }) => state === "firing");
      return [...new Set(names.map(({ labels }) => labels.outage))].toSorted();
    },
    targets: async () => (await ask<{ activeTargets: Target[] }>("targets")).activeTargets,
    async rules() {
      const { groups } = await ask<{ groups: { rules: EvaluatedRule[] }[] }>("rules");
      return groups.flatMap(({ rules }) => rules);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function readYaml<T>(name: string): Promise<T> {
  return parse(await readFile(join(FILES, name), "utf8")) as T;
}

function quickRules({ groups }: Rules): Rules {
  return {
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replaceAll(/(?<=\[)\w+(?=\])/g, quick),
        ...(rule.for === undefined ? {} : { for: quick(rule.for) }),
      })),
    })),
  };
}

function quick(duration: string): string {
  const [, count, unit] = /^(\d+)([sm])$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`not a duration in seconds or minutes: ${duration}`);
  return `${(Number(count) * SECONDS[unit as "s" | "m"]) / TIMES_QUICKER}s`;
}
