/** Each client has a function for every operation of the document; no option of Python's has the name of a field. */
import { createClient } from "../../clients/typescript/index.ts";
import { publicOperations } from "../contract/openapi/document.ts";
import { answeringService, hasPython, runPython } from "./python/python.ts";

const ENDED = {
  id: "an id",
  url: "u",
  status: "success",
  progress: 100,
  data: [],
  has_more: false,
};

type Functions = Record<string, (first?: unknown) => PromiseLike<unknown> | AsyncIterable<unknown>>;

async function inTypeScript(baseUrl: string): Promise<void> {
  const { download: _download, ...kinds } = createClient({ apiKey: "k", baseUrl });
  for (const [kind, functions] of Object.entries(kinds as unknown as Record<string, Functions>)) {
    for (const [name, call] of Object.entries(functions)) {
      if (name === "watch") continue;
      const takesObject = kind === "usage" || /^(create|createAndWait|list)$/.test(name);
      const first =
        kind === "files" && name === "create" ? new Blob([]) : takesObject ? {} : "an id";
      const result = /^(models\.list|balance\.retrieve)$/.test(`${kind}.${name}`)
        ? call()
        : call(first);
      if (!(Symbol.asyncIterator in result)) await result;
      else for await (const _item of result) break;
    }
  }
}

const inPython = (program: string) => async (URL: string) => {
  const functions = `
def functions_of(client):
    kinds = [(kind, own) for kind, own in vars(client).items() if not kind.startswith("_")]
    return {f"{kind}.{name}": getattr(own, name) for kind, own in kinds for name in dir(own) if not name.startswith("_") and name != "watch"}
def called(name, call):
    if name == "files.create": return call(b"")
    if ".create" in name: return call(model="alpha-2.0", prompt="a cat")
    return call("an id") if "id" in inspect.signature(call).parameters else call()`;
  expect(await runPython(`${functions}${program}`, { URL })).toEqual([]);
};

const LANGUAGES: [string, (url: string) => Promise<void>][] = [
  ["TypeScript", inTypeScript],
  [
    "Python",
    inPython(`
for name, call in functions_of(client).items():
    result = called(name, call)
    if name.endswith(".list"): list(result)`),
  ],
  [
    "Python with asyncio, which has the same functions",
    inPython(`
async def main():
    own = media.AsyncClient(api_key=KEY, base_url=URL)
    all, of_client = functions_of(own), functions_of(client)
    for name in all.keys() | of_client.keys():
        if name not in all or inspect.getdoc(all[name]) != inspect.getdoc(of_client.get(name)): show(name)
    for name, call in all.items():
        result = called(name, call)
        if hasattr(result, "__aiter__"): [item async for item in result]
        else: await result
asyncio.run(main())`),
  ],
];

it.each(hasPython ? LANGUAGES : LANGUAGES.slice(0, 1))(
  "the client calls every operation, and nothing else: for %s",
  async (_language, callAll) => {
    await using service = await answeringService([{ body: ENDED }]);
    await callAll(service.url);
    const called = service.requests.map(
      ({ method, path }) => `${method} ${path.slice(3).replace("an%20id", "{id}")}`,
    );
    const operations = publicOperations.map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(called)].toSorted()).toEqual(operations.toSorted());
  },
);

it.skipIf(!hasPython)("no option of a call has the name of a field or filter", async () => {
  const [options, fields] = (await runPython(`
from media_generation_client import options, types
show(sorted(options.CREATE_IMAGE_NAMES | options.WAIT_NAMES))
show(sorted(types.VideoRequest.__annotations__ | types.ImageRequest.__annotations__))`)) as string[][];
  const filters = publicOperations.flatMap(({ parameters }) =>
    parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
  );
  const names = [...(fields ?? []), ...filters];
  const all = [...names, ...(options ?? [])];
  expect(all).toEqual(expect.arrayContaining(["model", "size", "after", "idempotency_key"]));
  expect(options?.filter((name) => names.includes(name))).toEqual([]);
});
