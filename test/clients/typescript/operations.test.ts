/** The client has a function for every operation of the document. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fakeService, ok } from "./fake-service.ts";

const { paths } = JSON.parse(readFileSync("gen/openapi/media.json", "utf8")) as {
  paths: Record<string, Record<string, { operationId?: string }>>;
};
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { operationId }]) => operationId !== undefined)
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);

const BASE = "https://media.example.com/v1";
const ID = "an-id";

it("the client calls every operation, and nothing else", async () => {
  const ended = () => ok({ id: ID, status: "success", progress: 100, data: [], has_more: false });
  const { client, requests } = fakeService([ended]);
  const functions = Object.entries(client).filter(
    (entry): entry is [string, (first?: unknown) => unknown] => typeof entry[1] === "function",
  );
  for (const [name, call] of functions) {
    if (name === "download") continue;
    const takesObject = /^(create|list|retrieveUsage)/.test(name) && name !== "listModels";
    const first = name === "createFile" ? new Blob([]) : takesObject ? {} : ID;
    const result = /^(listModels|retrieveBalance)$/.test(name) ? call() : call(first);
    const isListing = Symbol.asyncIterator in (result as object);
    if (isListing) for await (const _item of result as AsyncIterable<unknown>) break;
    else await result;
  }
  const called = requests.map(
    ({ method, url }) => `${method} ${new URL(url).pathname.slice(3).replace(ID, "{id}")}`,
  );
  expect(requests.every(({ url }) => url.startsWith(BASE))).toBe(true);
  expect([...new Set(called)].sort()).toEqual([...operations].sort());
});
