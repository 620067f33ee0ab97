/** The rules of deploy/observability/rules.yaml, each by the outage that it names. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { evaluate, type Scrape } from "./promql.ts";

export type AlertRule = {
  /** The outage. */
  alert: string;
  /** The alert that it belongs to. */
  condition: string;
  expr: string;
  labels: { severity: string; outage: string };
  annotations: { summary: string };
};

type RulesFile = { groups: { rules: AlertRule[] }[] };

export const ALERT_RULES: readonly AlertRule[] = (
  parse(readFileSync("deploy/observability/rules.yaml", "utf8")) as RulesFile
).groups.flatMap(({ rules }) =>
  rules.map((rule) => ({ ...rule, condition: rule.alert, alert: rule.labels.outage })),
);

/** Whether the alert's condition holds after the last of the scrapes; how long it has to hold is left out. */
export function holds(alert: string, scrapes: readonly Scrape[]): boolean {
  const rule = ALERT_RULES.find((one) => one.alert === alert);
  if (!rule) throw new Error(`there is no alert ${alert}`);
  const value = evaluate(rule.expr, scrapes);
  return typeof value !== "number" && value.length > 0;
}
