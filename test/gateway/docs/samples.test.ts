/** The code samples of the documentation, which are run, and the packages of the clients that it offers. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createClient } from "../../../clients/typescript/index.ts";
import typescriptPackage from "../../../clients/typescript/package.json" with { type: "json" };
import { hasPython, outputOfPython, PYTHON } from "../../clients/python/python.ts";
import { run } from "../../clients/typescript/packed-client.ts";
import { forTests } from "../../support/for-tests.ts";
import { startHttp } from "../../support/http-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { useHarness } from "../harness.ts";
import { post } from "../requests.ts";
import { operations, samplesOf, useCatalog } from "./documented.ts";

const harness = useHarness();

type Sent = Record<"method" | "path" | "authorization", string | undefined> &
  Record<"idempotencyKey" | "body", unknown>;

/** What was sent to the recorder, in place of the service, by the label that its path begins with. */
const received: Record<string, Sent[]> = {};
const recorder = forTests(() =>
  startHttp((request, response) => {
    void text(request).then((body) => {
      const { method, url = "", headers } = request;
      const [, label = "", path] = /^\/(\w+)(.*)$/.exec(url) ?? [];
      const { authorization, "idempotency-key": idempotencyKey } = headers;
      const json: unknown = body === "" ? undefined : JSON.parse(body);
      (received[label] ??= []).push({ method, path, authorization, idempotencyKey, body: json });
      if (method === "DELETE") response.writeHead(204).end();
      // It does for an object and for a page of a list.
      else response.end('{"id": "vgen_1", "data": [], "has_more": false}');
    });
  }),
);

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

/** How samples are run, by their label. */
const RUN: Record<string, (sources: string[], key: string) => Promise<unknown>> = {
  curl: (sources, MEDIA_API_KEY) => {
    const env = { ...process.env, MEDIA_API_KEY };
    return promisify(execFile)("/bin/bash", ["-ec", sources.join("\n")], { env });
  },
  TypeScript: async (sources, apiKey) => {
    const create = (options: object) => createClient({ ...options, apiKey });
    for (const source of sources) {
      const code = source.replace(/^import .* from "media-generation-client";$/m, "");
      await new AsyncFunction("createClient", "console", code)(create, { log: () => {} });
    }
  },
  Python: (sources, MEDIA_API_KEY) => outputOfPython(sources.join("\n"), { MEDIA_API_KEY }),
};

describe("code samples", () => {
  it("send the same request in all three languages, and the document accepts it", async () => {
    const { secret } = harness.key;
    const ofJson = operations.filter(({ operationId }) => operationId !== "createFile");
    const pages = await Promise.all(
      ofJson.map(({ operationId }) => samplesOf(harness, operationId)),
    );
    for (const samples of pages) expect(Object.keys(samples)).toEqual(Object.keys(RUN));
    const labels = Object.keys(RUN).filter((label) => label !== "Python" || hasPython);
    for (const label of labels) {
      const url = `${recorder.url}/${label}`;
      const sources = pages.map((samples) => samples[label]?.replaceAll(harness.url, url) ?? "");
      await RUN[label]?.(sources, secret);
    }
    const { curl = [] } = received;
    expect(received).toEqual(Object.fromEntries(labels.map((label) => [label, curl])));
    for (const [at, { path, method, operationId }] of ofJson.entries()) {
      const sent = curl[at] as Sent;
      expect(sent.path).toMatch(new RegExp(`^/v1${path.replace(/\{\w+\}/, "[^/{}]+")}$`));
      expect(sent.method).toBe(method);
      // Only addresses of the service: what is pasted must tell no stranger anything.
      expect(JSON.stringify(sent)).not.toContain("https://");
      expect(sent.idempotencyKey !== undefined).toBe(operationId.startsWith("create"));
      const headers = { authorization: sent.authorization ?? "" };
      const init = sent.body === undefined ? { headers } : post(secret, sent.body);
      const answer = await harness.send(sent.path ?? "", { ...init, method });
      expect([operationId, answer.status]).not.toEqual([operationId, 400]);
    }
  });

  it("of each model name it and what it needs, and are accepted", async () => {
    const models = useCatalog(harness);
    const page = await (await harness.send("/docs/models.md")).text();
    const bodies = [...page.matchAll(/^```sh\ncurl.*? -d '(.*?)'\n```/gms)].map(
      ([, json = ""]) => JSON.parse(json) as { model: string },
    );
    expect(bodies.map(({ model }) => model)).toEqual(models.map(({ id }) => id));
    for (const body of bodies) {
      const kind = "duration" in body ? "videos" : "images";
      const answer = await harness.post(`/v1/${kind}/generations`, body);
      expect([body.model, answer.status < 300]).toEqual([body.model, true]);
    }
  });
});

/** The lines of the guide that install something. */
async function installLines(guide: string): Promise<string[]> {
  const page = await (await harness.send(`/docs/guides/${guide}.md`)).text();
  return [...page.matchAll(/(?:npm|pip) install (?!\.|-g)[^`\n]+/g)].map(([line]) => line);
}

const urlsIn = (lines: string[]) =>
  lines.flatMap((line) => line.split(" ").filter((word) => word.startsWith("http")));

it("packages all have an address on this service that answers the package", async () => {
  const guides = ["quickstart", "client", "ai-sdk", "fal", "replicate"];
  const lines = await Promise.all(guides.map(installLines));
  const [quickstart, client, ...others] = lines.map(urlsIn);
  expect(quickstart).toHaveLength(2);
  // The guide of the clients has it again, for the command line.
  expect([...new Set(client)]).toEqual(quickstart);
  expect(others.flat()).toHaveLength(5);
  for (const url of lines.flatMap(urlsIn)) {
    expect(url).toMatch(new RegExp(`^${harness.url}/docs/packages/[\\w.-]+\\.(tgz|whl)$`));
    expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  }
});

it.skipIf(!hasPython)(
  "packages are a wheel that Python reads as it is, with its types",
  async () => {
    await using folder = await temporaryFolder();
    const [url = ""] = urlsIn(await installLines("client")).filter((each) => each.endsWith(".whl"));
    const file = join(folder.path, url.slice(url.lastIndexOf("/") + 1));
    await writeFile(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const use = `
import importlib.metadata, sys, zipfile
sys.path.insert(0, sys.argv[1])
archive = zipfile.ZipFile(sys.argv[1])
print(archive.testzip(), "media_generation_client/py.typed" in archive.namelist())
print(importlib.metadata.version("media-generation-client"))`;
    const { stdout } = await run(PYTHON, ["-c", use, file]);
    expect(stdout).toBe(`None True\n${typescriptPackage.version}\n`);
  },
);

it("packages are what the production image has: it packs them, and copies what the service reads", async () => {
  const dockerfile = await readFile("deploy/Dockerfile", "utf8");
  expect(dockerfile).toContain("RUN node scripts/client-packages.mjs");
  const guides = ["clients/typescript/README.md", "clients/python/README.md"];
  for (const path of ["clients/packages", "clients/typescript/package.json", ...guides])
    expect(dockerfile).toMatch(new RegExp(`^COPY .*${path} ${path}$`, "m"));
});
