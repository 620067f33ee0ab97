/** The rules of deploy/observability/rules.yaml, each by the outage that it names. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { concernsOf } from "../../services/ops/status/concerns.ts";
import type { Scrape } from "./scrape.ts";

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

/** Whether `ops status` names the outage after a scrape of one process; promtool tests that the alert then fires. */
export function holds(outage: string, { samples, atSeconds }: Scrape): boolean {
  const replica = { service: "billing" as const, address: "", samples: [...samples] };
  return concernsOf([replica], atSeconds, {}).some((concern) => concern.endsWith(`(${outage})`));
}
