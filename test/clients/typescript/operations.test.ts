/** The client has a function for every operation of the document. */
import { expect, it } from "vitest";
import type { Client } from "../../../clients/typescript/index.ts";
import { publicOperations } from "../../contract/openapi/document.ts";
import { fakeService, ok } from "./fake-service.ts";

const operations = publicOperations.map(({ method, path }) => `${method} ${path}`);

const BASE = "https://media.example.com/v1";
const ID = "an-id";

type Call = (first?: unknown) => unknown;

function functionsOf({ download: _download, ...kinds }: Client): Map<string, Call> {
  return new Map(
    Object.entries(kinds).flatMap(([kind, found]) =>
      typeof found === "object"
        ? Object.entries(found).map(([name, call]): [string, Call] => [`${kind}.${name}`, call])
        : [],
    ),
  );
}

async function callOf(name: string, call: Call): Promise<void> {
  const takesObject = /\.(create|createAndWait|list)$|^usage\./.test(name);
  const first = name === "files.create" ? new Blob([]) : takesObject ? {} : ID;
  const result = /^(models\.list|balance\.retrieve)$/.test(name) ? call() : call(first);
  if (!(Symbol.asyncIterator in (result as object))) await result;
  else for await (const _item of result as AsyncIterable<unknown>) break;
}

/** Every generation has ended, also in a stream of events. */
function ended({ headers }: Request): Response {
  const body = { id: ID, status: "success", progress: 100, data: [], has_more: false };
  const events = "text/event-stream";
  if (headers.get("accept") !== events) return ok(body);
  const stream = `data: ${JSON.stringify(body)}\n\n`;
  return new Response(stream, { headers: { "content-type": events } });
}

it("the client calls every operation, and nothing else", async () => {
  const { client, requests } = fakeService([ended]);
  for (const [name, call] of functionsOf(client)) await callOf(name, call);
  const called = requests.map(
    ({ method, url }) => `${method} ${new URL(url).pathname.slice(3).replace(ID, "{id}")}`,
  );
  expect(requests.every(({ url }) => url.startsWith(BASE))).toBe(true);
  expect([...new Set(called)].sort()).toEqual([...operations].sort());
});
