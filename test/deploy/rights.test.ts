/** What the containers of compose.yaml may read and who may join NATS: each no more than it needs. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { SERVICES } from "../../services/ops/setup/provision.ts";

type Mount =
  | string
  | { source: string; target: string; read_only?: boolean; volume: { subpath: string } };
type Service = { volumes?: Mount[]; command?: string[]; image?: string };

const read = (path: string) =>
  (parse(readFileSync(path, "utf8"), { merge: true }) as { services: Record<string, Service> })
    .services;
const services = read("deploy/compose.yaml");

/** The files of the keys that a container has; "all" where it has the folder. */
function keysOf({ volumes = [] }: Service): string[] {
  return volumes.flatMap((mount) => {
    if (typeof mount === "string") return mount.startsWith("keys:") ? ["all"] : [];
    expect(mount).toMatchObject({ source: "keys", read_only: true });
    expect(mount.target).toBe(`/keys/${mount.volume.subpath}`);
    return [mount.volume.subpath];
  });
}

it("gives each service its own key and trusted.json, and the operator's key to ops alone", () => {
  const found = Object.entries(services).map(([name, service]) => [name, keysOf(service)] as const);
  expect(Object.fromEntries(found.filter(([, keys]) => keys.length > 0))).toEqual({
    ...Object.fromEntries(SERVICES.map((name) => [name, [`${name}.json`, "trusted.json"]])),
    keys: ["all"],
    ops: ["ops.json"],
  });
});

it("lets nobody join the cluster of NATS without its password", () => {
  const servers = Object.entries(services).filter(([name]) => name.startsWith("nats-"));
  expect(servers).toHaveLength(3);
  for (const [, { command = [] }] of servers) {
    const urls = command.filter((one) => /^--(?:cluster|routes)=/.test(one)).join(",");
    expect(urls.match(/nats:\/\//g)).toHaveLength(4);
    expect(urls.match(/nats:\/\/routes:\$\{NATS_PASSWORD:\?\}@/g)).toHaveLength(4);
  }
});

it("sends alerts to an Alertmanager, which names one cause once", () => {
  const file = (name: string) =>
    parse(readFileSync(`deploy/observability/${name}`, "utf8")) as Record<string, unknown>;
  const { alertmanager } = read("deploy/observability/compose.yaml");
  expect(alertmanager?.image).toContain("prom/alertmanager:");
  expect(JSON.stringify(file("prometheus.yaml")["alerting"])).toContain("alertmanager:9093");
  expect(file("alertmanager.yaml")["inhibit_rules"]).toContainEqual({
    source_matchers: ["outage = CallsUnavailable", "service =~ billing|delivery"],
    target_matchers: ["outage = CallsUnavailable", "service = generation"],
  });
});
