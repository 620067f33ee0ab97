import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { envReader } from "#runtime/env.ts";
import { defaultCatalogPath } from "../../../services/generation/catalog/catalog.ts";
import { readTuning } from "../../../services/generation/config.ts";
import { createUpstreams } from "../../../services/generation/upstreams/upstreams.ts";
import { KNOWN_PROVIDERS } from "../../../services/generation/upstreams/known-providers.ts";
import {
  parseUpstreams,
  type UpstreamsFile,
  upstreamsFaults,
} from "../../../services/generation/upstreams/upstreams-file.ts";
import { scriptedProvider } from "../../support/scripted-provider.ts";
import { fileOf, openedUpstreams } from "./upstreams-fixture.ts";

const examplePath = new URL("../../../services/generation/upstreams/example.json", import.meta.url);
const one = fileOf({ name: "r1" });
const named = (name: string) => fileOf({ name }).models.m[0];

describe("an upstreams file", () => {
  it("gives a model its upstreams, with their words and limits", async () => {
    const file = {
      credentials: { c1: { concurrency: 7, submits_per_second: 2.5 } },
      models: {
        m: [{ ...named("r1"), parameters: { dialect: "b" }, concurrency: 3 }],
      },
    };
    await using opened = await openedUpstreams(file);
    expect(opened.configured.of("live", "m")).toMatchObject([
      {
        name: "r1",
        credential: "c1",
        upstreamModel: "upstream-m",
        parameters: { dialect: "b" },
        limits: { credentialConcurrency: 7, modelConcurrency: 3, submitsPerSecond: 2.5 },
      },
    ]);
    expect(opened.configured.of("live", "other")).toEqual([]);
    expect(opened.configured.byName("r1")?.name).toBe("r1");
    expect(opened.upstreams.map(({ settings }) => settings)).toMatchObject([
      { baseUrl: "https://alpha.example.com/v1", key: "key-one" },
    ]);
  });

  it.each([
    ["not JSON", "{", "not valid JSON"],
    [
      "an unknown field",
      { ...one, modles: {} },
      'the file: must NOT have additional properties ("modles")',
    ],
    [
      "a key, which never belongs there",
      { ...one, credentials: { c1: { key: "sk-1" } } },
      'credentials.c1: must NOT have additional properties ("key")',
    ],
    ["a name twice", fileOf({ name: "r1" }, { name: "r1" }), "upstream r1 is listed twice"],
    [
      "no such provider",
      fileOf({ name: "r1", provider: "x" }),
      'unknown provider "x"; the providers are alpha, beta',
    ],
    ["no such credential", { ...one, credentials: {} }, 'its credential "c1" is not listed'],
    [
      "a key in the clear",
      fileOf({ name: "r1", base_url: "http://example.com" }),
      "must be an https URL",
    ],
    ["the simulator's name", fileOf({ name: "simulator" }), 'the name "simulator" is reserved'],
  ])("with %s is refused at start, naming what is wrong", async (_what, file, reason) => {
    const refused = openedUpstreams(file);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(/^configuration:\n {2}- UPSTREAMS_FILE: /);
  });

  it("retires an upstream by `disabled`: no new tasks, and those that it has go on", async () => {
    await using opened = await openedUpstreams(fileOf({ name: "r1", disabled: true }));
    expect(opened.names()).toEqual([]);
    expect(opened.configured.byName("r1")?.provider).toBeDefined();
  });

  it("says which models the catalog does not have", async () => {
    await using opened = await openedUpstreams({ credentials: {}, models: { typo: [] } });
    expect(opened.logged).toMatchObject([{ models: ["typo"] }]);
  });
});

describe("the keys", () => {
  it("are found in the environment by their credentials' names", () => {
    const env = {
      UPSTREAMS_FILE: "upstreams.json",
      PROVIDER_KEYS_DIR: "/keys",
      PROVIDER_KEY_DASHSCOPE_INTL: " sk-1 ",
      PROVIDER_KEY_EMPTY: "",
      PROVIDER_CALLBACK_SECRET_REPLICATE: "whsec_1",
    };
    expect(readTuning(envReader(env), "none").upstreams).toEqual({
      path: "upstreams.json",
      keys: {
        keys: { "dashscope-intl": "sk-1" },
        callbackSecrets: { replicate: "whsec_1" },
        directory: "/keys",
      },
    });
  });

  it("alert where an enabled upstream has none", async () => {
    const file = fileOf({ name: "r1", credential: "c3" }, { name: "r2" });
    await using opened = await openedUpstreams(file);
    expect(opened.names()).toEqual(["r2"]);
    expect(opened.configured.byName("r1")).toBeUndefined();
    expect(opened.configured.missingCredentials).toMatchObject([{ name: "r1", credential: "c3" }]);
    expect(opened.logged).toMatchObject([{ level: "error", alert: true, upstreams: ["r1"] }]);
    expect(await opened.isOn("UpstreamWithoutKey")).toBe(true);
    const disabled = fileOf({ name: "r1", credential: "c3", disabled: true }, { name: "r2" });
    await using quiet = await openedUpstreams(disabled);
    expect(await quiet.isOn("UpstreamWithoutKey")).toBe(false);
  });

  it("come from files before the environment, and never reach the log", async () => {
    await using folder = await openedUpstreams(one);
    writeFileSync(join(folder.directory, "c1"), "file-key-1\n");
    writeFileSync(join(folder.directory, "c1.callback"), "whsec_file\n");
    await using opened = await openedUpstreams(fileOf({ name: "r1" }, { name: "r2" }), {
      directory: folder.directory,
    });
    expect(opened.upstreams.map(({ settings }) => settings)).toMatchObject([
      { key: "file-key-1", callbackSecret: "whsec_file" },
    ]);
    expect(JSON.stringify(opened.logged)).not.toMatch(/file-key|whsec/);
  });
});

describe("the mode", () => {
  it("decides: test is always simulated, live only where it is asked for", async () => {
    await using opened = await openedUpstreams(one);
    const names = (live: "none" | "simulator", mode: "live" | "test", model = "m") => {
      const providers = createUpstreams(scriptedProvider(), live, opened.configured);
      return providers.of(mode, model).map(({ name }) => name);
    };
    expect(names("none", "test")).toEqual(["simulator"]);
    expect(names("none", "live")).toEqual(["r1"]);
    expect(names("none", "live", "unserved")).toEqual([]);
    expect(names("simulator", "live")).toEqual(["simulator"]);
  });
});

describe("an upstream whose vendor has a host for each workspace", () => {
  it("names its host, or the file is refused", () => {
    const faultsOf = (more: object) => {
      const file = fileOf({ name: "r1", provider: "dashscope", ...more });
      return upstreamsFaults(file as UpstreamsFile, KNOWN_PROVIDERS);
    };
    expect(faultsOf({})).toEqual([expect.stringContaining("base_url is missing")]);
    const base_url = "https://ws-1.ap-southeast-1.maas.aliyuncs.com";
    expect(faultsOf({ base_url })).toEqual([]);
  });
});

describe("the example", () => {
  it("has an upstream in use for every model of the catalog, and stands every check", () => {
    const parsed = parseUpstreams(readFileSync(examplePath, "utf8"));
    if ("faults" in parsed) throw new Error(parsed.faults.join("; "));
    expect(upstreamsFaults(parsed.file, KNOWN_PROVIDERS)).toEqual([]);
    const { models } = JSON.parse(readFileSync(defaultCatalogPath, "utf8")) as {
      models: { id: string; kind: string }[];
    };
    const inUse = models.map(({ id }) => [
      id,
      parsed.file.models[id]?.some(({ disabled }) => disabled !== true),
    ]);
    expect(inUse).toEqual(models.map(({ id }) => [id, true]));
    expect(Object.keys(parsed.file.models)).toHaveLength(models.length);
    const videos = models.filter(({ kind }) => kind === "KIND_VIDEO");
    const makers = videos.flatMap(({ id }) => parsed.file.models[id] ?? []);
    // OpenAI no longer serves videos by the API that its provider speaks.
    for (const { provider } of makers) expect(provider).not.toBe("openai");
  });
});
