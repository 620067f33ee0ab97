/** The rules and the dashboard of deploy/observability: what they name is emitted, and each alert is explained. */
import { readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import { ALERT_RULES } from "../support/alert-rules.ts";
import { commonRegistry, ownRegistries } from "../support/metrics-registries.ts";

type Dashboard = { panels: { targets?: { expr: string }[] }[] };

const dashboard = JSON.parse(
  readFileSync("deploy/observability/dashboard.json", "utf8"),
) as Dashboard;
const inPanels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const inRules = ALERT_RULES.map(({ expr }) => expr);

/** The names of the metrics in an expression. */
const metricsIn = (expression: string) =>
  expression.match(/\b(?:(?:media|nodejs|process)_\w+|up\b)/g) ?? [];

const metricsOf = (registry: Registry) =>
  registry.getMetricsAsArray() as unknown as { name: string; type: string }[];

/** What the services emit, and what Prometheus adds. */
function emitted(): Set<string> {
  const registries = [commonRegistry(), ...ownRegistries().values()];
  const series = registries
    .flatMap(metricsOf)
    .flatMap(({ name, type }) =>
      type === "histogram" ? ["_bucket", "_count", "_sum"].map((end) => name + end) : [name],
    );
  return new Set([...series, "up"]);
}

it("names only metrics that services emit, in rules and panels", () => {
  const known = emitted();
  const named = [...inRules, ...inPanels].flatMap(metricsIn);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

const [, afterAlerts = ""] = readFileSync("docs/operations.md", "utf8").split("\n## Alerts\n");
const [section = ""] = afterAlerts.split("\n## ");

it("explains each outage in docs/operations.md under its alert, with a command to look with", () => {
  const explained = section.split("\n### ").slice(1);
  const outages = explained.flatMap((text) => {
    const [condition = ""] = text.split("\n");
    expect(text).toMatch(/`ops\s/);
    return [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, alert]) => [condition, alert]);
  });
  expect(outages).toEqual(ALERT_RULES.map(({ condition, alert }) => [condition, alert]));
  expect(explained).toHaveLength(8);
});
