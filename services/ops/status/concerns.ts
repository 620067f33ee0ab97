/** What needs an operator: the rules of deploy/observability/rules.yaml that one scrape can tell, evaluated here. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Labels, Replica, Sample } from "./scrape.ts";

/** How many replicas of a service there have to be, where that is known. */
export type Expected = Readonly<Partial<Record<Replica["service"], number>>>;

type Rule = { expr: string; labels: { outage: string }; annotations: { summary: string } };

const RULES = new URL("../../../deploy/observability/rules.yaml", import.meta.url);
/** A figure of ours, or a part or an age of it, beyond a limit; other rules need earlier scrapes. */
const TELLABLE =
  /^(time\(\) - )?(min|max)(?: by \(([\w, ]+)\))? ?\(((?:media_\w+|up)(?: \/ media_\w+)?)\)( - time\(\))? ([<>]) ([\d.]+)(?: \* (\d+))?$/;

/** In words, each with its outage in brackets, which docs/operations.md explains. */
export function concernsOf(
  replicas: readonly Replica[],
  nowSeconds: number,
  expected: Expected,
): string[] {
  const samples = replicas.flatMap(({ service: job, address: instance, samples: said }) =>
    [...(said ?? []), { name: "up", labels: {}, value: said ? 1 : 0 }].map((one) => ({
      ...one,
      labels: { ...one.labels, job, instance },
    })),
  );
  const { groups } = parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] };
  return [
    ...missing(replicas, expected),
    ...groups.flatMap(({ rules }) =>
      rules.flatMap(({ expr, labels: { outage }, annotations }) =>
        breaches(expr, samples, nowSeconds).map(
          (breach) => `${worded(annotations.summary, breach)} (${outage})`,
        ),
      ),
    ),
    ...unread(samples),
  ];
}

function missing(replicas: readonly Replica[], expected: Expected): string[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const found = replicas.filter(({ service }) => service === name).length;
    return found < wanted ? [`${name}: ${found} of ${wanted} are there (ReplicaMissing)`] : [];
  });
}

function breaches(expr: string, samples: readonly Sample[], nowSeconds: number): Sample[] {
  const found = TELLABLE.exec(expr);
  if (!found) return [];
  const [, isSince, how, by = "", figure = "", isUntil, operator, amount, times = 1] = found;
  const [name = "", whole] = figure.split(" / ");
  const values = samples.filter((one) => one.name === name).filter(isRead);
  const ofWhole = ({ labels }: Sample) =>
    samples.find((one) => one.name === whole && one.labels["instance"] === labels["instance"]);
  const labelsOf = ({ labels }: Sample): Labels =>
    Object.fromEntries(by.split(", ").map((label) => [label, labels[label] ?? ""]));
  const limit = Number(amount) * Number(times);
  return [...Map.groupBy(values, (one) => JSON.stringify(labelsOf(one))).values()].flatMap(
    (same) => {
      const shown = same.map((one) =>
        whole ? one.value / (ofWhole(one)?.value ?? NaN) : one.value,
      );
      const extreme = how === "min" ? Math.min(...shown) : Math.max(...shown);
      const value = isSince ? nowSeconds - extreme : isUntil ? extreme - nowSeconds : extreme;
      const isBad = operator === ">" ? value > limit : value < limit;
      return isBad && same[0] ? [{ name, labels: labelsOf(same[0]), value }] : [];
    },
  );
}

const UNITS: Record<string, (value: number) => string> = {
  humanizeDuration: (seconds) =>
    seconds < 2 * 86_400 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 86_400)} days`,
  humanizePercentage: (part) => `${Math.round(part * 100)}%`,
};

function worded(summary: string, { labels, value }: Sample): string {
  return summary
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? "")
    .replaceAll(/\{\{ \$value(?: \| (\w+))? \}\}/g, (_, unit = "") =>
      (UNITS[unit] ?? String)(value),
    );
}

function unread(samples: readonly Sample[]): string[] {
  const names = samples
    .filter((one) => !isRead(one))
    .map(({ name, labels }) => `${labels["job"]} cannot read ${name} (FiguresUnread)`);
  return [...new Set(names)];
}

/** Services show NaN where they could not read a figure; Node's own metrics have other reasons for it. */
export function isRead({ name, value }: Sample): boolean {
  return !Number.isNaN(value) || !name.startsWith("media_");
}
