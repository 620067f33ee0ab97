/** The rules of deploy/observability/rules.yaml, each by the outage that it names. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { concernsOf } from "../../services/ops/status/concerns.ts";
import type { Scrape } from "./scrape.ts";

type RulesFile = {
  groups: { rules: { alert: string; expr: string; labels: { outage: string } }[] }[];
};

/** `condition` is the alert that the outage belongs to. */
export const ALERT_RULES = (
  parse(readFileSync("deploy/observability/rules.yaml", "utf8")) as RulesFile
).groups.flatMap(({ rules }) =>
  rules.map(({ alert: condition, expr, labels }) => {
    return { alert: labels.outage, condition, expr, labels };
  }),
);

/** Whether `ops status` names the outage after a scrape of one process; promtool tests that the alert then fires. */
export function holds(outage: string, { samples, atSeconds }: Scrape): boolean {
  const replica = { service: "billing" as const, address: "", samples: [...samples] };
  return concernsOf([replica], atSeconds, {}).some((concern) => concern.endsWith(`(${outage})`));
}
