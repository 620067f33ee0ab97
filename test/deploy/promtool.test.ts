/** The files of deploy/observability for Prometheus, as its own promtool reads and runs them. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { locateUnpacked } from "../../scripts/test-tools.mjs";
import { ALERT_RULES } from "../support/alert-rules.ts";
import { ALERT_TIMES, FLEET, STEP_SECONDS, type AlertTimes } from "./alert-times.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RULES = resolve("deploy/observability/rules.yaml");
const STEP = `${STEP_SECONDS}s`;
type RulesFile = { groups: { name: string; rules: { alert: string }[] }[] };

const program = locateUnpacked("prometheus")?.program;
const run = promisify(execFile);
/** Rejects with what promtool found wrong. */
const promtool = async (...args: string[]) => run(program ?? "", args);

/** An alert is silent one evaluation before it fires, and at its end; it fires in between. */
function expectationsOf({ alert, fires: [firesAt, endsAt], labels = {}, ...says }: AlertTimes) {
  const rule = ALERT_RULES.find((one) => one.alert === alert);
  const at = (seconds: number, summary?: string) => ({
    eval_time: `${seconds}s`,
    alertname: rule?.condition,
    exp_alerts: summary
      ? [{ exp_labels: { ...rule?.labels, ...labels }, exp_annotations: { summary } }]
      : [],
  });
  return [
    at(firesAt - STEP_SECONDS),
    at(firesAt, says.summary),
    at(endsAt - STEP_SECONDS, says.lastSummary ?? says.summary),
    at(endsAt),
  ];
}

describe.skipIf(!program)("where it could be fetched", () => {
  it("accepts the rules and the configuration", async () => {
    const config = ["--syntax-only", "deploy/observability/prometheus.yaml"];
    await expect(promtool("check", "rules", RULES)).resolves.toBeDefined();
    await expect(promtool("check", "config", ...config)).resolves.toBeDefined();
  });

  // A file for each alert with its rules alone, because promtool evaluates all rules of a file at each step of each test.
  it("notifies of each alert once its condition has held for its time, and until it holds no more", async () => {
    await using folder = await temporaryFolder();
    const writeIn = async (name: string, content: object) => {
      const path = join(folder.path, `${name}.json`);
      await writeFile(path, JSON.stringify(content));
      return path;
    };
    const { groups } = parse(await readFile(RULES, "utf8")) as RulesFile;
    const rulesOf = new Map(ALERT_RULES.map(({ alert, condition }) => [alert, condition]));
    const byCondition = Map.groupBy(ALERT_TIMES, ({ alert }) => rulesOf.get(alert) ?? "");
    const files = [...byCondition].map(async ([condition, all]) => {
      const own = groups.map((group) => ({
        ...group,
        rules: group.rules.filter(({ alert }) => alert === condition),
      }));
      const rule_files = [await writeIn(`${condition}-rules`, { groups: own })];
      const tests = all.map((times) => ({
        name: times.alert,
        interval: times.interval ?? STEP,
        input_series: Object.entries({ ...FLEET, ...times.series }).map(([series, values]) => ({
          series,
          values,
        })),
        alert_rule_test: expectationsOf(times),
      }));
      return writeIn(condition, { rule_files, evaluation_interval: STEP, tests });
    });
    await expect(promtool("test", "rules", ...(await Promise.all(files)))).resolves.toBeDefined();
  });
});
