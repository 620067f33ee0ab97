/** Metrics of the process itself: Node's own, its release, its readiness, and the age of its keys and certificates. */
import { X509Certificate } from "node:crypto";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import type { IsReady } from "../postgres/readiness.ts";
import { VERSION } from "../version.ts";

export type ProcessFacts = {
  service: string;
  /** PEM texts by what they are for; undefined where there is none. */
  certificates: Readonly<Record<string, string | undefined>>;
  /** When the service's own key was made, in seconds since 1970. */
  keyMadeAt: () => number;
  /** Whether the files of its keys could not be read the last time. */
  keysUnread: () => boolean;
  isReady: IsReady;
};

export function processMetrics(registry: Registry, facts: ProcessFacts): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "media_build_info",
    help: "1, labelled with the service and the release that it runs",
    labelNames: ["service", "version"] as const,
    registers,
  }).set({ service: facts.service, version: VERSION }, 1);
  new Gauge({
    name: "media_ready",
    help: "1 while this process can serve calls: its Postgres answers, and it does not stop",
    registers,
    async collect() {
      this.set((await facts.isReady()) ? 1 : 0);
    },
  });
  const expiry = new Gauge({
    name: "media_certificate_expiry_timestamp_seconds",
    help: "When a certificate of this process expires, by what it is for",
    labelNames: ["certificate"] as const,
    registers,
  });
  for (const [certificate, pem] of Object.entries(facts.certificates)) {
    if (pem) expiry.set({ certificate }, Date.parse(new X509Certificate(pem).validTo) / 1_000);
  }
  new Gauge({
    name: "media_service_key_created_timestamp_seconds",
    help: "When this service's key was made",
    registers,
    collect() {
      this.set(facts.keyMadeAt());
    },
  });
  new Gauge({
    name: "media_service_keys_unread",
    help: "1 while this process cannot read its key or trusted.json again, and goes on with the keys that it has",
    registers,
    collect() {
      this.set(facts.keysUnread() ? 1 : 0);
    },
  });
}
