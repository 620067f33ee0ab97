/** Upstreams opened from a file of a test's own, on scripted upstreams and a clock that stands still. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Registry } from "prom-client";
import { createLog } from "#runtime/log.ts";
import type { ProviderSettings } from "../../../services/generation/providers/provider.ts";
import {
  openUpstreams,
  type KeySource,
} from "../../../services/generation/upstreams/open-upstreams.ts";
import { observedCalls, upstreamAnswers } from "../../../services/generation/upstreams/observed.ts";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import { holds } from "../../support/alert-rules.ts";
import { scrape } from "../../support/scrape.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { scriptedProvider, type ScriptedProvider } from "../../support/scripted-provider.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export type Upstream = ScriptedProvider & {
  settings: ProviderSettings;
};

export type Entry = Record<string, unknown> & { name: string };

/** A file with one model, "m", and one credential for each that its upstreams name. */
export function fileOf(...upstreams: Entry[]) {
  const entries = upstreams.map((upstream) => ({
    provider: "alpha",
    model: "upstream-m",
    credential: "c1",
    ...upstream,
  }));
  const credentials = Object.fromEntries(entries.map(({ credential }) => [credential, {}]));
  return { credentials: credentials as Record<string, object>, models: { m: entries } };
}

export async function openedUpstreams(file: unknown, source: Partial<KeySource> = {}) {
  await using unopened = new AsyncDisposableStack();
  const { path: directory } = unopened.use(await temporaryFolder());
  const path = join(directory, "upstreams.json");
  const write = (text: unknown) =>
    writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  write(file);
  const clock = manualClock();
  const logged: Record<string, unknown>[] = [];
  const log = createLog("test", "info", { write: (line) => void logged.push(JSON.parse(line)) });
  const upstreams: Upstream[] = [];
  const create = (settings: ProviderSettings): Upstream => {
    const upstream: Upstream = Object.assign(scriptedProvider(), {
      settings,
      callback: async () => "job",
    });
    upstreams.push(upstream);
    return upstream;
  };
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const noteAnswer = upstreamAnswers(registry, {
    clock,
    simulator: { check: async () => ({ ok: true }) },
  });
  const keys = {
    keys: { c1: "key-one", c2: "key-two" },
    callbackSecrets: {},
    directory: undefined,
  };
  const configured = openUpstreams(
    { path, keys: { ...keys, ...source } },
    {
      clock,
      log,
      knownProviders: {
        alpha: { create, baseUrl: "https://alpha.example.com/v1" },
        beta: { create, baseUrl: "https://beta.example.com" },
      },
      callbackUrl: ({ submitToken }) => `https://media.test/callbacks/${submitToken}`,
      isModel: (id) => id === "m",
      observe: observedCalls({ observe: noteAnswer }, NO_TRACER),
      metrics,
    },
  );
  const opened = unopened.move();
  return {
    directory,
    configured,
    upstreams,
    first: () => {
      const [first] = upstreams;
      if (!first) throw new Error("no upstream");
      return first;
    },
    clock,
    logged,
    /** Whether the condition of an alert holds. */
    isOn: async (alert: string) => holds(alert, await scrape(registry)),
    names: () => configured.of("live", "m").map(({ name }) => name),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
