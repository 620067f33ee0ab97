/** The code samples of the documentation, which are run. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { useHarness } from "../harness.ts";
import { post } from "../requests.ts";
import { operations, samplesOf, samplesOn, useCatalog, type Samples } from "./documented.ts";

const harness = useHarness();

const LABELS = ["curl", "TypeScript", "Python"] as const;

describe("code samples", () => {
  it("send a file as a form", async () => {
    const { curl = "" } = await samplesOf(harness, "createFile");
    expect(curl).toContain("-F file=@picture.png");
  });

  it("send the same request in all three languages, and the document accepts it", async () => {
    const { secret } = await harness.newKey();
    const ofJson = operations.filter(({ operationId }) => operationId !== "createFile");
    const samples = await Promise.all(
      ofJson.map(({ operationId }) => samplesOf(harness, operationId)),
    );
    const requests = await requestsBy(samples, secret);
    for (const [at, { path, method, operationId }] of ofJson.entries()) {
      const curl = requests[at] as Sent;
      const template = new RegExp(`^${harness.url}/v1${path.replace(/\{\w+\}/, "[^/{}]+")}$`);
      expect(curl.url).toMatch(template);
      expect(curl.method).toBe(method.toUpperCase());
      const { idempotencyKey, ...sent } = curl;
      expect(idempotencyKey !== "").toBe(operationId.startsWith("create"));
      const { authorization } = sent;
      const content = { "content-type": "application/json" };
      const init =
        sent.body === undefined
          ? { method: curl.method, headers: { authorization } }
          : { ...post(secret, sent.body), headers: { authorization, ...content } };
      const answer = await harness.send(new URL(sent.url).pathname, init);
      expect([operationId, answer.status]).not.toEqual([operationId, 400]);
    }
  });

  it("of each model name it and what it needs, with one key for the same request and another for another", async () => {
    useCatalog(harness);
    const { secret } = await harness.newKey();
    const { models } = harness.backends.listModels();
    const samples = await Promise.all(
      models.map(({ id }) => samplesOn(harness, `/docs/models/${id}`)),
    );
    const sent = await requestsBy(samples, secret);
    expect(sent.map(({ body }) => (body as { model: string }).model)).toEqual(
      models.map(({ id }) => id),
    );
    for (const { url, method, body, idempotencyKey } of sent) {
      const init = { ...post(secret, body, { "idempotency-key": idempotencyKey }), method };
      expect((await harness.send(new URL(url).pathname, init)).status).toBeLessThan(300);
    }
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(models.length);
  });
});

type Sent = {
  method: string;
  url: string;
  authorization: string;
  /** Empty where there is none. */
  idempotencyKey: string;
  body: unknown;
};

const run = promisify(execFile);
const hasPython = spawnSync("python3", ["--version"]).status === 0;

function sent(method: string, url: string, headers: Headers, body: unknown): Sent {
  return {
    method,
    url,
    authorization: headers.get("authorization") ?? "",
    idempotencyKey: headers.get("idempotency-key") ?? "",
    body,
  };
}

/** What the samples of each page send, which is the same in all languages. */
async function requestsBy(pages: Samples[], key: string): Promise<Sent[]> {
  const inPython = await pythonRequests(
    pages.map((samples) => samples["Python"] ?? ""),
    key,
  );
  return Promise.all(
    pages.map(async (samples, at) => {
      expect(Object.keys(samples)).toEqual(LABELS);
      const curl = await curlRequest(samples["curl"] ?? "", key);
      const TypeScript = await typescriptRequest(samples["TypeScript"] ?? "", key);
      const requests = { curl, TypeScript, Python: inPython?.[at] ?? curl };
      expect(requests).toEqual({ curl, TypeScript: curl, Python: curl });
      return curl;
    }),
  );
}

/** Runs the sample with a `curl` that prints its arguments, each ended by NUL, and no other program. */
async function curlRequest(source: string, key: string): Promise<Sent> {
  const stubs = `curl() { printf '%s\\0' "$@"; };`;
  const env = { PATH: "", MEDIA_API_KEY: key };
  const { stdout } = await run("/bin/bash", ["-ec", `${stubs}\n${source}`], { env });
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
    return init.method === "DELETE" ? new Response(null, { status: 204 }) : new Response("{}");
  };
  const sample = new AsyncFunction("fetch", "process", "console", source);
  await sample(fetchStub, { env: { MEDIA_API_KEY: key } }, { log: () => {} });
  return requests[0] as Sent;
}

const PYTHON_STUB = `
import json, sys, types
class Answer:
    def __init__(self, text, status_code): self.text, self.status_code = text, status_code
    def raise_for_status(self): pass
    def json(self): return decode(self.text)
def caller(method):
    def call(url, headers, timeout, json=None):
        sys.stderr.write(encode([method, url, headers, json]) + "\\n")
        return Answer("", 204) if method == "DELETE" else Answer("{}", 200)
    return call
encode, decode = json.dumps, json.loads
requests = types.ModuleType("requests")
for method in ["get", "post", "delete"]:
    setattr(requests, method, caller(method.upper()))
sys.modules["requests"] = requests
for sample in decode(sys.argv[1]): exec(sample, {})
`;

/** Runs the samples with a `requests` that prints its arguments; undefined without Python on the machine. */
async function pythonRequests(sources: string[], key: string): Promise<Sent[] | undefined> {
  if (!hasPython) return undefined;
  const env = { ...process.env, MEDIA_API_KEY: key };
  const args = ["-c", PYTHON_STUB, JSON.stringify(sources)];
  const { stderr } = await run("python3", args, { env });
  return stderr
    .trim()
    .split("\n")
    .map((line) => {
      const [method, url, headers, body] = JSON.parse(line) as [string, string, object, unknown];
      return sent(method, url, new Headers({ ...headers }), body ?? undefined);
    });
}
