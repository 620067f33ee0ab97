/** The API reference: its page, and code samples that are run. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { useHarness } from "../harness.ts";
import { post } from "../requests.ts";

type Sample = { lang: string; label: string; source: string };
type Operation = { operationId: string; "x-codeSamples": Sample[] };

let operations: { path: string; method: string; operation: Operation }[];

const harness = useHarness();

beforeAll(async () => {
  const document = (await (await harness.send("/docs/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
});

const sourceOf = (operation: Operation, label: string) =>
  operation["x-codeSamples"].find((sample) => sample.label === label)?.source ?? "";

describe("the reference", () => {
  it("is a page that loads only files of this origin, all of which are served", async () => {
    const page = await harness.send("/docs");
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links).toContain("docs/swagger-ui-bundle.js");
    for (const link of [...links, "docs/openapi.json"]) {
      expect(link).not.toMatch(/^(\w+:|\/)/);
      const response = await harness.send(`/${link}`);
      expect([link, response.status]).toEqual([link, 200]);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
    expect(html).not.toMatch(/<script(?![^>]+src=)|<style|style=| on\w+=/);
  });

  it("asks for no key and sends the document to no validator", async () => {
    const script = await (await harness.send("/docs/page.js")).text();
    expect(script).toContain("supportedSubmitMethods: []");
    expect(script).toContain("validatorUrl: null");
    expect(script).not.toMatch(/https?:\/\//);
  });

  it("is not sent again when it has not changed", async () => {
    const first = await harness.send("/docs/swagger-ui.css");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${harness.url}/docs/swagger-ui.css`, {
      headers: { "if-none-match": etag },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await fetch(`${harness.url}/docs`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
  });

  it("has no other files", async () => {
    for (const path of ["/docs/index.html", "/docs/..%2fdocs.ts", "/docs/swagger-ui.js"]) {
      expect((await harness.send(path)).status).toBe(404);
    }
  });
});

describe("code samples", () => {
  it("exist for every operation, in curl, TypeScript and Python", () => {
    expect(operations.length).toBeGreaterThan(6);
    for (const { operation } of operations) {
      const labels = operation["x-codeSamples"].map(({ label }) => label);
      expect([operation.operationId, labels]).toEqual([
        operation.operationId,
        ["curl", "TypeScript", "Python"],
      ]);
    }
  });

  it("send the same request in all three languages, and the document accepts it", async () => {
    const { secret } = await harness.newKey();
    for (const { path, method, operation } of operations) {
      const curl = await curlRequest(sourceOf(operation, "curl"), secret);
      const requests = {
        curl,
        TypeScript: await typescriptRequest(sourceOf(operation, "TypeScript"), secret),
        Python: await pythonRequest(sourceOf(operation, "Python"), secret, curl),
      };
      expect(requests).toEqual({ curl, TypeScript: curl, Python: curl });
      const template = new RegExp(`^${harness.url}/v1${path.replace(/\{\w+\}/, "[^/{}]+")}$`);
      expect(curl.url).toMatch(template);
      expect(curl.method).toBe(method.toUpperCase());
      const { hasIdempotencyKey, ...sent } = curl;
      expect(hasIdempotencyKey).toBe(operation.operationId.startsWith("create"));
      const { authorization } = sent;
      const content = { "content-type": "application/json" };
      const init =
        sent.body === undefined
          ? { method: curl.method, headers: { authorization } }
          : { ...post(secret, sent.body), headers: { authorization, ...content } };
      const answer = await harness.send(new URL(sent.url).pathname, init);
      expect([operation.operationId, answer.status]).not.toEqual([operation.operationId, 400]);
    }
  });
});

type Sent = {
  method: string;
  url: string;
  authorization: string;
  hasIdempotencyKey: boolean;
  body: unknown;
};

const run = promisify(execFile);
const hasPython = spawnSync("python3", ["--version"]).status === 0;

function sent(method: string, url: string, headers: Headers, body: unknown): Sent {
  return {
    method,
    url,
    authorization: headers.get("authorization") ?? "",
    hasIdempotencyKey: /^[\da-f-]{36}$/.test(headers.get("idempotency-key") ?? ""),
    body,
  };
}

/** Runs the sample with a `curl` that prints its arguments, each ended by NUL. */
async function curlRequest(source: string, key: string): Promise<Sent> {
  const stubs = `curl() { printf '%s\\0' "$@"; }; uuidgen() { echo ${crypto.randomUUID()}; };`;
  const env = { ...process.env, MEDIA_API_KEY: key };
  const { stdout } = await run("bash", ["-ec", `${stubs}\n${source}`], { env });
  const args = stdout.split("\0").slice(0, -1);
  const after = (flag: string) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []));
  const headers = new Headers(
    after("-H").map((line): [string, string] => {
      const [name = "", ...value] = line.split(": ");
      return [name, value.join(": ")];
    }),
  );
  const [method = "GET"] = after("-X");
  const url = args.find((arg) => arg.startsWith("http")) ?? "";
  const [data] = after("-d");
  return sent(method, url, headers, data === undefined ? undefined : JSON.parse(data));
}

/** Runs the sample with a `fetch` that records its arguments. */
async function typescriptRequest(source: string, key: string): Promise<Sent> {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const requests: Sent[] = [];
  const fetchStub = async (url: string, init: RequestInit & { body?: string }) => {
    const body = init.body === undefined ? undefined : JSON.parse(init.body);
    requests.push(sent(init.method ?? "GET", url, new Headers(init.headers), body));
    return new Response("{}");
  };
  const sample = new AsyncFunction("fetch", "process", "console", source);
  await sample(fetchStub, { env: { MEDIA_API_KEY: key } }, { log: () => {} });
  return requests[0] as Sent;
}

const PYTHON_STUB = `
import json, sys, types
class Answer:
    def raise_for_status(self): pass
    def json(self): return {}
def caller(method):
    def call(url, headers, timeout, json=None):
        sys.stderr.write(encode([method, url, headers, json]))
        return Answer()
    return call
encode = json.dumps
requests = types.ModuleType("requests")
for method in ["get", "post", "delete"]:
    setattr(requests, method, caller(method.upper()))
sys.modules["requests"] = requests
exec(sys.argv[1], {})
`;

/** Runs the sample with a `requests` that prints its arguments; without Python on the machine it returns `untried`. */
async function pythonRequest(source: string, key: string, untried: Sent): Promise<Sent> {
  if (!hasPython) return untried;
  const env = { ...process.env, MEDIA_API_KEY: key };
  const { stderr } = await run("python3", ["-c", PYTHON_STUB, source], { env });
  const [method, url, headers, body] = JSON.parse(stderr) as [string, string, object, unknown];
  return sent(method, url, new Headers({ ...headers }), body ?? undefined);
}
