/** The code samples of the documentation, which are run. */
import { execFile } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../clients/typescript/index.ts";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { startHttp } from "../../support/http-server.ts";
import { useHarness } from "../harness.ts";
import { post } from "../requests.ts";
import { operations, samplesOf, useCatalog, type Samples } from "./documented.ts";

const harness = useHarness();

const LABELS = ["curl", "TypeScript", "Python"] as const;

describe("code samples", () => {
  it("send a file as a form", async () => {
    const { curl = "" } = await samplesOf(harness, "createFile");
    expect(curl).toContain("-F file=@picture.png");
  });

  it("send the same request in all three languages, and the document accepts it", async () => {
    const { secret } = harness.key;
    const ofJson = operations.filter(({ operationId }) => operationId !== "createFile");
    const samples = await Promise.all(
      ofJson.map(({ operationId }) => samplesOf(harness, operationId)),
    );
    const requests = await requestsBy(samples, secret);
    for (const [at, { path, method, operationId }] of ofJson.entries()) {
      const { idempotencyKey, ...curl } = requests[at] as Sent;
      const template = new RegExp(`^${harness.url}/v1${path.replace(/\{\w+\}/, "[^/{}]+")}$`);
      expect(curl.url).toMatch(template);
      expect(curl.method).toBe(method);
      // Only addresses of the service: what is pasted must tell no stranger anything.
      expect(JSON.stringify(curl)).not.toContain("https://");
      expect(idempotencyKey !== "").toBe(operationId.startsWith("create"));
      const { authorization, body } = curl;
      const bare = { method: curl.method, headers: { authorization } };
      const init = body === undefined ? bare : { ...post(secret, body), method: curl.method };
      const answer = await harness.send(new URL(curl.url).pathname, init);
      expect([operationId, answer.status]).not.toEqual([operationId, 400]);
    }
  });

  it("of each model name it and what it needs, and are accepted", async () => {
    const models = useCatalog(harness);
    const page = await (await harness.send("/docs/models.md")).text();
    const bodies = [...page.matchAll(/^```json\n(.*?)^```/gms)].map(
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

type Sent = {
  method: string;
  url: string;
  authorization: string;
  /** Empty where there is none. */
  idempotencyKey: string;
  body: unknown;
};

const run = promisify(execFile);

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

/** Runs the sample with the client, which has a `fetch` that records its requests. */
async function typescriptRequest(source: string, key: string): Promise<Sent> {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const requests: Sent[] = [];
  const recording = async (request: Request) => {
    const text = await request.text();
    const body = text === "" ? undefined : JSON.parse(text);
    requests.push(sent(request.method, request.url, request.headers, body));
    return request.method === "DELETE" ? new Response(null, { status: 204 }) : new Response(ANSWER);
  };
  const create = (options: object) =>
    createClient({ ...options, apiKey: key, fetch: recording as never });
  const code = source.replace(/^import .* from "media-generation-client";$/m, "");
  const sample = new AsyncFunction("createClient", "console", code);
  await sample(create, { log: () => {} });
  expect(requests).toHaveLength(1);
  return requests[0] as Sent;
}

/** It does for an object and for a page of a list. */
const ANSWER = '{"id": "vgen_1", "data": [], "has_more": false}';

/** The client's requests go to the address in the first argument; what they are for is in a header. */
const PYTHON_PROGRAM = `
import json, sys
import media_generation_client as media
Client = media.Client
def recorded(base_url):
    return Client(base_url=sys.argv[1], headers={"x-base-url": base_url})
media.Client = recorded
for sample in json.loads(sys.argv[2]): exec(sample, {})
`;

/** What the samples send with the client for Python; undefined without Python on the machine. */
async function pythonRequests(sources: string[], key: string): Promise<Sent[] | undefined> {
  if (!hasPython) return undefined;
  const requests: Sent[] = [];
  await using service = await startHttp((request, response) => {
    void text(request).then((body) => {
      const headers = new Headers(request.headers as Record<string, string>);
      const url = `${headers.get("x-base-url")}${request.url?.replace(/^\/v1/, "")}`;
      const json = body === "" ? undefined : (JSON.parse(body) as unknown);
      requests.push(sent(request.method ?? "", url, headers, json));
      if (request.method === "DELETE") response.writeHead(204).end();
      else response.end(ANSWER);
    });
  });
  const env = { ...process.env, ...PYTHON_ENV, MEDIA_API_KEY: key };
  await run(PYTHON, ["-c", PYTHON_PROGRAM, service.url, JSON.stringify(sources)], { env });
  return requests;
}
