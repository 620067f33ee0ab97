/** The Python client has a function for every operation of the document, and the one for asyncio has them all. */
import { expect, it } from "vitest";
import { publicOperations } from "../../contract/openapi/document.ts";
import { answeringService, hasPython, runPython, type Sent } from "./python.ts";

const operations = publicOperations.map(({ method, path }) => `${method} ${path}`).toSorted();

const ENDED = {
  id: "an id",
  url: "u",
  status: "success",
  progress: 100,
  data: [],
  has_more: false,
};

/** The operations that were called. */
const calledAt = ({ requests }: { requests: Sent[] }) => {
  const called = requests.map(
    ({ method, path }) => `${method} ${path.slice(3).replace("an%20id", "{id}")}`,
  );
  return [...new Set(called)].toSorted();
};

const CALL_ALL = `
def functions_of(client):
    kinds = [(kind, own) for kind, own in vars(client).items() if not kind.startswith("_")]
    return {f"{kind}.{name}": getattr(own, name) for kind, own in kinds for name in dir(own) if not name.startswith("_")}
def arguments(name, call):
    if name == "files.create": return ([b""], {})
    if ".create" in name: return ([], {"model": "alpha-2.0", "prompt": "a cat"})
    return (["an id"] if "id" in inspect.signature(call).parameters else [], {})
`;

it.skipIf(!hasPython)(
  "the Python client calls every operation, and nothing else (needs python3)",
  async () => {
    await using service = await answeringService([{ body: ENDED }]);
    const program = `${CALL_ALL}
for name, call in functions_of(client).items():
    values, options = arguments(name, call)
    if not name.endswith(".watch"):
        result = call(*values, **options)
        if name.endswith(".list"): list(result)
`;
    expect(await runPython(program, { URL: service.url })).toEqual([]);
    expect(calledAt(service)).toEqual(operations);
  },
);

it.skipIf(!hasPython)(
  "the one for asyncio has the same functions, and sends the same (needs python3)",
  async () => {
    await using service = await answeringService([{ body: ENDED }]);
    const program = `${CALL_ALL}
async def main():
    own = media.AsyncClient(api_key=KEY, base_url=URL)
    all, of_client = functions_of(own), functions_of(client)
    show([list(all) == list(of_client), [name for name in all if inspect.getdoc(all[name]) != inspect.getdoc(of_client[name])]])
    for name, call in all.items():
        values, options = arguments(name, call)
        if name.endswith(".watch"): continue
        result = call(*values, **options)
        if hasattr(result, "__aiter__"): [item async for item in result]
        else: await result
asyncio.run(main())`;
    expect(await runPython(program, { URL: service.url })).toEqual([[true, []]]);
    expect(calledAt(service)).toEqual(operations);
  },
);

it.skipIf(!hasPython)(
  "no option of a call has the name of a field of the service (needs python3)",
  async () => {
    const program = `
from media_generation_client import options, types
show(sorted(types.VideoRequest.__annotations__ | types.ImageRequest.__annotations__))
show(sorted(options.OPTION_NAMES))`;
    const [fields, names] = (await runPython(program)) as [string[], string[]];
    const filters = publicOperations.flatMap(({ parameters }) =>
      parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    );
    expect([fields, filters]).toEqual([
      expect.arrayContaining(["model", "size"]),
      expect.arrayContaining(["after", "group_by"]),
    ]);
    expect(names.filter((name) => [...fields, ...filters].includes(name))).toEqual([]);
    expect(names).toEqual([
      "headers",
      "idempotency_key",
      "max_attempts",
      "on_progress",
      "poll_seconds",
      "respond_async",
      "timeout_seconds",
      "wait_seconds",
    ]);
  },
);
