/** What all fake upstreams stand on: a server that records requests and jobs, and misbehaves on command. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { startHttp } from "../http-server.ts";

export type FakeRequest = {
  operation: string;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  json: unknown;
  /** Of a body that is multipart/form-data. */
  form: FormData | undefined;
  raw: Buffer;
};

/** Neither `json` nor `raw`: an empty body. */
export type FakeReply = {
  status: number;
  headers?: Record<string, string>;
  json?: unknown;
  raw?: Uint8Array;
};

/** What a look at a job says: the upstream's own status word, and whatever its body needs beside it. */
export type JobState = { status: string; [detail: string]: unknown };

export type FakeJob = { id: string; request: FakeRequest; state: JobState; script: JobState[] };

/** `path` is matched whole, without the query; its groups are handed to `handle`. */
export type Operation = {
  name: string;
  method: string;
  path: RegExp;
  /** Served without the key, e.g. a result file. */
  isOpen?: boolean;
  handle: (request: FakeRequest, ...groups: string[]) => FakeReply;
};

export type Misbehaviour =
  /** The request is not handled, so nothing is recorded. */
  | { instead: FakeReply | "drop" }
  /** The request is handled, but its answer is lost or another. */
  | { afterwards: FakeReply | "drop" }
  /** The request is handled, and its answer has these headers, too. */
  | { headers: Record<string, string> };

/** Holds one answer back. */
export type Gate = { arrived: Promise<void>; release: () => void };

/** What a vendor's fake is made with. */
export type Workshop = {
  url: () => string;
  jobs: FakeJob[];
  record: (request: FakeRequest, id: string, state: JobState) => FakeJob;
  /** The job as this look finds it: its script goes on by one; its last state stays. */
  look: (id: string) => FakeJob | undefined;
};

export type Vendor = {
  /** Between the server's address and the operations' paths, e.g. "/api/v3". */
  basePath?: string;
  key: string;
  isAuthorised: (request: FakeRequest) => boolean;
  unauthorised: FakeReply;
  notFound: FakeReply;
  operations: Operation[];
};

export type FakeUpstream = AsyncDisposable & {
  /** For the provider's settings. */
  baseUrl: string;
  key: string;
  requests: FakeRequest[];
  jobs: FakeJob[];
  /** What the next looks at the job say, in turn; the last one stays. */
  says: (id: string, ...states: JobState[]) => void;
  /** The next request of that operation meets this; several wait in line. */
  once: (operation: string, misbehaviour: Misbehaviour) => void;
  /** Holds the answer to the next request of that operation, after it was handled. */
  hold: (operation: string) => Gate;
};

/** The words of every fake's error messages: no client may ever read them. */
export const QUOTE = "as the upstream words it";
/** What results are, wherever a fake serves one. */
export const RESULT = Buffer.from("the bytes of a result");
export const RESULT_PATH = "/results/one";

export async function startFake(build: (workshop: Workshop) => Vendor): Promise<FakeUpstream> {
  const jobs: FakeJob[] = [];
  const requests: FakeRequest[] = [];
  const faults = new Map<string, Misbehaviour[]>();
  const gates = new Map<string, { arrive: () => void; released: Promise<void> }[]>();
  let url = "";

  const jobOf = (id: string) => jobs.find((job) => job.id === id);
  const vendor = build({
    url: () => url,
    jobs,
    record: (request, id, state) => {
      const job: FakeJob = { id, request, state, script: [] };
      jobs.push(job);
      return job;
    },
    look: (id) => {
      const job = jobOf(id);
      if (job) job.state = job.script.shift() ?? job.state;
      return job;
    },
  });
  const operations = [...vendor.operations, results];

  const replyTo = (request: FakeRequest, operation: Operation | undefined, groups: string[]) => {
    if (!operation) return vendor.notFound;
    if (!operation.isOpen && !vendor.isAuthorised(request)) return vendor.unauthorised;
    const fault = faults.get(operation.name)?.shift();
    if (fault && "instead" in fault) return fault.instead;
    const reply = operation.handle(request, ...groups);
    if (fault && "headers" in fault)
      return { ...reply, headers: { ...reply.headers, ...fault.headers } };
    return fault?.afterwards ?? reply;
  };

  const server = await startHttp((incoming, response) => {
    void (async () => {
      const raw = await bodyOf(incoming);
      const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://fake.test");
      const path = pathname.replace(vendor.basePath ?? "", "");
      const method = incoming.method ?? "";
      const matched = operations
        .map((operation) => ({ operation, groups: operation.path.exec(path) }))
        .find(({ operation, groups }) => groups?.[0] === path && operation.method === method);
      const request: FakeRequest = {
        operation: matched?.operation.name ?? "none",
        method,
        path,
        query: searchParams,
        headers: incoming.headers,
        json: jsonOf(raw),
        form: await formOf(raw, incoming.headers["content-type"]),
        raw,
      };
      requests.push(request);
      const reply = replyTo(request, matched?.operation, matched?.groups?.slice(1) ?? []);
      const gate = gates.get(request.operation)?.shift();
      gate?.arrive();
      await gate?.released;
      send(response, reply);
    })();
  });
  url = server.url;

  return {
    baseUrl: `${url}${vendor.basePath ?? ""}`,
    key: vendor.key,
    requests,
    jobs,
    says: (id, ...states) => {
      const job = jobOf(id);
      if (!job) throw new Error(`the fake has no job ${id}`);
      job.script = states;
    },
    once: (operation, misbehaviour) => append(faults, operation, misbehaviour),
    hold: (operation) => {
      const arrival = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      append(gates, operation, { arrive: arrival.resolve, released: release.promise });
      return { arrived: arrival.promise, release: release.resolve };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const results: Operation = {
  name: "result",
  method: "GET",
  path: /\/results\/[^/]+/,
  isOpen: true,
  handle: () => ({ status: 200, headers: { "content-type": "video/mp4" }, raw: RESULT }),
};

function append<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  lists.set(name, [...(lists.get(name) ?? []), item]);
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function jsonOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

async function formOf(raw: Buffer, type = ""): Promise<FormData | undefined> {
  if (!type.startsWith("multipart/form-data")) return undefined;
  return new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
}

function send(response: ServerResponse, reply: FakeReply | "drop"): void {
  if (reply === "drop") {
    response.destroy();
    return;
  }
  const isJson = reply.json !== undefined;
  response.writeHead(reply.status, {
    ...(isJson ? { "content-type": "application/json" } : {}),
    ...reply.headers,
  });
  response.end(isJson ? JSON.stringify(reply.json) : reply.raw);
}
