/** The files of deploy/observability for Prometheus, as its own promtool reads and runs them. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { locatePrometheus } from "../../scripts/debian-package.mjs";
import { ALERT_RULES } from "../support/alert-rules.ts";
import { ALERT_TIMES, FLEET, STEP_SECONDS, type AlertTimes } from "./alert-times.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RULES = resolve("deploy/observability/rules.yaml");
const STEP = `${STEP_SECONDS}s`;
const found = locatePrometheus();
const run = promisify(execFile);
/** Rejects with what promtool found wrong. */
const promtool = async (...args: string[]) => run(found?.promtool ?? "", args);

/** An alert is silent one evaluation before it fires, and at its end; it fires in between. */
function expectationsOf({ alert, firesAt, endsAt, labels = {}, ...says }: AlertTimes) {
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

it("are tested for every outage", () => {
  expect(ALERT_TIMES.map(({ alert }) => alert)).toEqual(ALERT_RULES.map(({ alert }) => alert));
});

// Seven seconds of processor, which a busy machine takes minutes for.
describe.skipIf(!found)("where it could be fetched", { timeout: 400_000 }, () => {
  it("accepts the rules and the configuration", async () => {
    const config = ["--syntax-only", "deploy/observability/prometheus.yaml"];
    await expect(promtool("check", "rules", RULES)).resolves.toBeDefined();
    await expect(promtool("check", "config", ...config)).resolves.toBeDefined();
  });

  it("notifies of each alert once its condition has held for its time, and until it holds no more", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "tests.json");
    const tests = ALERT_TIMES.map((times) => ({
      name: times.alert,
      interval: times.interval ?? STEP,
      input_series: Object.entries({ ...FLEET, ...times.series }).map(([series, values]) => ({
        series,
        values,
      })),
      alert_rule_test: expectationsOf(times),
    }));
    const all = { rule_files: [RULES], evaluation_interval: STEP, tests };
    await writeFile(file, JSON.stringify(all));
    await expect(promtool("test", "rules", file)).resolves.toBeDefined();
  });
});
