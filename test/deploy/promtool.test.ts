/** The files of deploy/observability for Prometheus, as its own promtool reads and runs them. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { locatePrometheus } from "../../scripts/debian-package.mjs";
import { ALERT_RULES } from "../support/alert-rules.ts";
import { ALERT_TIMES, STEP_SECONDS, type AlertTimes } from "./alert-times.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RULES = resolve("deploy/observability/rules.yaml");
const STEP = `${STEP_SECONDS}s`;
const found = locatePrometheus();
const run = promisify(execFile);
/** Rejects with what promtool found wrong. */
const promtool = async (...args: string[]) => run(found?.promtool ?? "", args);

/** An alert is silent one evaluation before it fires, and at its end; it fires in between. */
function expectationsOf({ alert, firesAt, endsAt, labels = {}, ...says }: AlertTimes) {
  const severity = ALERT_RULES.find((rule) => rule.alert === alert)?.labels.severity;
  const at = (seconds: number, summary?: string) => ({
    eval_time: `${seconds}s`,
    alertname: alert,
    exp_alerts: summary
      ? [{ exp_labels: { severity, ...labels }, exp_annotations: { summary } }]
      : [],
  });
  return [
    at(firesAt - STEP_SECONDS),
    at(firesAt, says.summary),
    at(endsAt - STEP_SECONDS, says.lastSummary ?? says.summary),
    at(endsAt),
  ];
}

it("are tested for every alert", () => {
  expect(ALERT_TIMES.map(({ alert }) => alert)).toEqual(ALERT_RULES.map(({ alert }) => alert));
});

describe.skipIf(!found)("where it could be fetched", () => {
  it("accepts the rules and the configuration", async () => {
    const config = ["--syntax-only", "deploy/observability/prometheus.yaml"];
    await expect(promtool("check", "rules", RULES)).resolves.toBeDefined();
    await expect(promtool("check", "config", ...config)).resolves.toBeDefined();
  });

  it("notifies of each alert once its condition has held for its time, and until it holds no more", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "tests.json");
    // All in one test, which evaluates the rules once: no two alerts look at the same series.
    const test = {
      interval: STEP,
      input_series: ALERT_TIMES.flatMap(({ series }) =>
        Object.entries(series).map(([name, values]) => ({ series: name, values })),
      ),
      alert_rule_test: ALERT_TIMES.flatMap(expectationsOf),
    };
    const tests = { rule_files: [RULES], evaluation_interval: STEP, tests: [test] };
    await writeFile(file, JSON.stringify(tests));
    await expect(promtool("test", "rules", file)).resolves.toBeDefined();
  });
});
