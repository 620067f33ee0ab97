/** docs/metrics.md lists what services emit (`npm run metrics` writes it). */
import type { Registry } from "prom-client";
import { commonRegistry, ownRegistries } from "../support/metrics-registries.ts";

type Described = { name: string; help: string; type: string; labelNames?: string[] };

const described = (registry: Registry) =>
  (registry.getMetricsAsArray() as unknown as Described[])
    .filter(({ name }) => name.startsWith("media_"))
    .toSorted((a, b) => a.name.localeCompare(b.name));

const sections = [
  ["gateway, generation, billing and delivery", described(commonRegistry())],
  ...[...ownRegistries()].map(([name, registry]) => [name, described(registry)] as const),
] as const;

it("docs/metrics.md lists every metric of every service", async () => {
  const text = `# Metrics

Written by \`npm run metrics\` from the registries. Each service serves its own at \`GET /metrics\` of its RPC port, in
Prometheus' format, beside Node's (\`nodejs_…\`, \`process_…\`). \`nodejs_eventloop_lag_…\` covers the time since the last
scrape. \`deploy/observability/\` has rules and a dashboard.

Durations are seconds, sizes bytes. \`upstream\` and \`credential\` are names of the upstreams file. \`statement\` is a verb
and a table. Figures of queues are read from Postgres at most every five seconds; they are the same in all replicas of a
service, so take their \`max\`, not their sum.
${sections.map(([name, metrics]) => section(name, metrics)).join("")}`;
  await expect(text).toMatchFileSnapshot("../../docs/metrics.md");
});

function section(name: string, metrics: readonly Described[]): string {
  const rows = metrics.map(({ name: metric, help, type, labelNames = [] }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(", ");
    return `| \`${metric}\` | ${type} | ${labels} | ${help} |`;
  });
  return `\n## ${name}\n\n| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

it("labels nothing with what there is any number of", () => {
  const labels = sections.flatMap(([, metrics]) =>
    metrics.flatMap(({ labelNames = [] }) => labelNames),
  );
  expect(
    [...new Set(labels)].filter((label) => /_id$|^id$|account|host|url|key/.test(label)),
  ).toEqual([]);
});
