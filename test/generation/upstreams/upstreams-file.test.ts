/** The upstreams file and its keys, and what upstreams opened from it answer and lack. */
import { readFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Registry } from "prom-client";
import { envReader } from "#runtime/env.ts";
import { createLog } from "#runtime/log.ts";
import { defaultCatalogPath } from "../../../services/generation/catalog/catalog.ts";
import { readConfig, readTuning } from "../../../services/generation/config.ts";
import { createCallbacks, type Callbacks } from "../../../services/generation/domain/callback.ts";
import { createUpstreams } from "../../../services/generation/upstreams/upstreams.ts";
import { KNOWN_PROVIDERS } from "../../../services/generation/upstreams/known-providers.ts";
import { readUpstreams } from "../../../services/generation/upstreams/upstreams-file.ts";
import { scriptedProvider } from "../../support/scripted-provider.ts";
import type {
  Provider,
  ProviderSettings,
} from "../../../services/generation/providers/provider.ts";
import { openUpstreams } from "../../../services/generation/upstreams/open-upstreams.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import { holds } from "../../support/alert-rules.ts";
import { scrape } from "../../support/scrape.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

type Entry = Record<string, unknown> & { name: string };

/** A file with one model, "m", and one credential for each that its upstreams name. */
function fileOf(...upstreams: Entry[]) {
  const entries = upstreams.map((upstream) => ({
    provider: "alpha",
    model: "upstream-m",
    credential: "c1",
    ...upstream,
  }));
  const credentials = Object.fromEntries(entries.map(({ credential }) => [credential, {}]));
  return { credentials: credentials as Record<string, object>, models: { m: entries } };
}

const folder = folderForTests();
const withCallbacks = createCallbacks({ baseUrl: "https://media.test", secret: "x".repeat(32) });

async function openedUpstreams(
  file: unknown,
  keysDirectory?: string,
  callbacks: Callbacks = withCallbacks,
) {
  const directory = mkdtempSync(join(folder, "upstreams-"));
  const path = join(directory, "upstreams.json");
  writeFileSync(path, JSON.stringify(file));
  const logged: Record<string, unknown>[] = [];
  const log = createLog("test", "info", { write: (line) => void logged.push(JSON.parse(line)) });
  const settings: ProviderSettings[] = [];
  const create = (one: ProviderSettings): Provider => {
    settings.push(one);
    return scriptedProvider();
  };
  const createSilent = (one: ProviderSettings): Provider => {
    const { callback: _, ...silent } = create(one);
    return silent;
  };
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const keys = { c1: "key-one", c2: "key-two" };
  const configured = openUpstreams(
    { path, keys, keysDirectory },
    {
      clock: manualClock(),
      log,
      knownProviders: {
        alpha: { create, baseUrl: "https://alpha.example.com/v1" },
        gamma: { create: createSilent, baseUrlHint: "https://{WorkspaceId}.example.com" },
      },
      callbackUrl: callbacks.urlOf,
      isModel: (id) => id === "m",
      observe: (provider) => provider,
      metrics,
    },
  );
  return {
    directory,
    configured,
    settings,
    logged,
    /** Whether the condition of an alert holds. */
    isOn: async (alert: string) => holds(alert, await scrape(registry)),
    names: () => configured.of("live", "m").map(({ name }) => name),
  };
}

const EXAMPLE = fileURLToPath(
  new URL("../../../services/generation/upstreams/example.json", import.meta.url),
);
const one = fileOf({ name: "r1" });

describe("an upstreams file", () => {
  it("gives a model its upstreams, with their words and limits", async () => {
    const words = { parameters: { dialect: "b" }, capabilities: { durations: [4, 6, 8] } };
    const file = fileOf({ name: "r1", ...words, concurrency: 3 });
    file.credentials["c1"] = { concurrency: 7, submits_per_second: 2.5 };
    const opened = await openedUpstreams(file);
    const named = { name: "r1", credential: "c1", upstreamModel: "upstream-m" };
    const limits = { credentialLimit: 7, modelLimit: 3, intervalMs: 400 };
    expect(opened.configured.of("live", "m")).toMatchObject([{ ...named, ...words, limits }]);
    expect(opened.configured.of("live", "other")).toEqual([]);
    expect(opened.configured.byName("r1")?.name).toBe("r1");
    const baseUrl = "https://alpha.example.com/v1";
    expect(opened.settings).toMatchObject([{ baseUrl, key: "key-one" }]);
  });

  it.each([
    [
      "an unknown field",
      { ...one, modles: {} },
      'the file: must NOT have additional properties ("modles")',
    ],
    [
      "a key, which never belongs there",
      { ...one, credentials: { c1: { key: "sk-1" } } },
      '/credentials/c1: must NOT have additional properties ("key")',
    ],
    ["a name twice", fileOf({ name: "r1" }, { name: "r1" }), "upstream r1 is listed twice"],
    [
      "no such provider",
      fileOf({ name: "r1", provider: "x" }),
      'unknown provider "x"; the providers are alpha, gamma',
    ],
    ["no such credential", { ...one, credentials: {} }, 'its credential "c1" is not listed'],
    [
      "a key in the clear",
      fileOf({ name: "r1", base_url: "http://example.com" }),
      "must be an https URL",
    ],
  ])("with %s is refused at start, naming what is wrong", async (_what, file, reason) => {
    const refused = openedUpstreams(file);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(/^configuration:\n {2}- UPSTREAMS_FILE: /);
  });

  it("retires an upstream by `disabled`: no new tasks, and those that it has go on", async () => {
    const opened = await openedUpstreams(fileOf({ name: "r1", disabled: true }));
    expect(opened.names()).toEqual([]);
    expect(opened.configured.byName("r1")?.provider).toBeDefined();
  });
});

describe("the keys", () => {
  it("are found in the environment by their credentials' names", () => {
    const env = {
      UPSTREAMS_FILE: "upstreams.json",
      PROVIDER_KEYS_DIR: "/keys",
      PROVIDER_KEY_DASHSCOPE_INTL: " sk-1 ",
      PROVIDER_KEY_EMPTY: "",
    };
    expect(readTuning(envReader(env), "none").upstreams).toEqual({
      path: "upstreams.json",
      keys: { "dashscope-intl": "sk-1" },
      keysDirectory: "/keys",
    });
  });

  it("of callbacks are long enough, also in a file", () => {
    const url = { CALLBACK_BASE_URL: "https://media.example.com" };
    expect(() => readConfig({ ...url, CALLBACK_SECRET_FILE: "/dev/null" })).toThrow(
      "CALLBACK_SECRET_FILE must have 32 characters or more",
    );
  });

  it("alert where an enabled upstream has none", async () => {
    const file = fileOf({ name: "r1", credential: "c3" }, { name: "r2" });
    const opened = await openedUpstreams(file);
    expect(opened.names()).toEqual(["r2"]);
    expect(opened.configured.byName("r1")).toBeUndefined();
    expect(opened.configured.missingCredentials).toMatchObject([{ name: "r1", credential: "c3" }]);
    expect(opened.logged).toMatchObject([{ level: "error", alert: true, upstreams: ["r1"] }]);
    expect(await opened.isOn("UpstreamWithoutKey")).toBe(true);
    const disabled = fileOf({ name: "r1", credential: "c3", disabled: true }, { name: "r2" });
    const quiet = await openedUpstreams(disabled);
    expect(await quiet.isOn("UpstreamWithoutKey")).toBe(false);
  });

  it("come from files before the environment, and never reach the log", async () => {
    const { directory } = await openedUpstreams(one);
    writeFileSync(join(directory, "c1"), "file-key-1\n");
    const file = fileOf({ name: "r1" }, { name: "r2" });
    const opened = await openedUpstreams(file, directory);
    expect(opened.settings).toMatchObject([{ key: "file-key-1" }]);
    expect(JSON.stringify(opened.logged)).not.toContain("file-key");
    mkdirSync(join(directory, "c2"));
    await expect(
      openedUpstreams(fileOf({ name: "r1", credential: "c2" }), directory),
    ).rejects.toThrow("PROVIDER_KEYS_DIR");
  });
});

it("upstreams get a callback URL where their provider reads callbacks and this service has an address for them", async () => {
  const silent = { name: "r2", provider: "gamma", base_url: "https://gamma.example.com" };
  const file = fileOf({ name: "r1" }, silent);
  const on = await openedUpstreams(file);
  const off = await openedUpstreams(file, undefined, createCallbacks(undefined));
  const urls = [on, off].map((one) => one.configured.all.map(({ callbackUrl }) => callbackUrl));
  expect(urls).toEqual([
    [withCallbacks.urlOf, undefined],
    [undefined, undefined],
  ]);
});

it("the mode decides: test is always simulated, live only where it is asked for", async () => {
  const opened = await openedUpstreams(one);
  const names = (live: "none" | "simulator", mode: "live" | "test", model = "m") => {
    const providers = createUpstreams(scriptedProvider(), live, opened.configured);
    return providers.of(mode, model).map(({ name }) => name);
  };
  expect(names("none", "test")).toEqual(["simulator"]);
  expect(names("none", "live")).toEqual(["r1"]);
  expect(names("none", "live", "unserved")).toEqual([]);
  expect(names("simulator", "live")).toEqual(["simulator"]);
});

it("the example has an upstream in use for every model of the catalog, and stands every check", () => {
  const file = readUpstreams(EXAMPLE, KNOWN_PROVIDERS);
  const { models } = JSON.parse(readFileSync(defaultCatalogPath, "utf8")) as {
    models: { id: string; kind: string }[];
  };
  const isInUse = (id: string) => file.models[id]?.some(({ disabled }) => disabled !== true);
  expect(models.filter(({ id }) => !isInUse(id))).toEqual([]);
  expect(Object.keys(file.models)).toHaveLength(models.length);
  const videos = models.filter(({ kind }) => kind === "KIND_VIDEO");
  const makers = videos.flatMap(({ id }) => file.models[id] ?? []);
  // OpenAI no longer serves videos by the API that its provider speaks.
  for (const { provider } of makers) expect(provider).not.toBe("openai");
});
