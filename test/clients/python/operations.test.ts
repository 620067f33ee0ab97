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
REQUEST = {"model": "alpha-2.0", "prompt": "a cat"}
def arguments(name):
    if name == "create_file": return ([b""], {})
    if name.startswith("create_"): return ([], REQUEST)
    return (["an id"] if "id" in inspect.signature(getattr(media.Client, name)).parameters else [], {})
names = [name for name, one in inspect.getmembers(media.Client, inspect.isfunction) if not name.startswith("_")]
names = [name for name in names if name not in ("close", "download")]
`;

it.skipIf(!hasPython)(
  "the Python client calls every operation, and nothing else (needs python3)",
  async () => {
    await using service = await answeringService([{ body: ENDED }]);
    const program = `${CALL_ALL}
for name in names:
    values, options = arguments(name)
    result = getattr(client, name)(*values, **options)
    if name.startswith("list_"): list(result)`;
    await runPython(program, { URL: service.url });
    expect(calledAt(service)).toEqual(operations);
  },
);

it.skipIf(!hasPython)(
  "the one for asyncio has the same functions and options, and sends the same (needs python3)",
  async () => {
    await using service = await answeringService([{ body: ENDED }]);
    const program = `${CALL_ALL}
def parameters(kind, name): return str(inspect.signature(getattr(kind, name)).replace(return_annotation=None))
show([name for name in ["__init__", "download", *names] if parameters(media.Client, name) != parameters(media.AsyncClient, name)])
async def main():
    async with media.AsyncClient(api_key=KEY, base_url=URL) as client:
        for name in names:
            values, options = arguments(name)
            result = getattr(client, name)(*values, **options)
            if name.startswith("list_") and name != "list_models": [item async for item in result]
            else: await result
asyncio.run(main())`;
    expect(await runPython(program, { URL: service.url })).toEqual([[]]);
    expect(calledAt(service)).toEqual(operations);
  },
);

it.skipIf(!hasPython)(
  "the functions of videos, images and so on are those of version 1.0 (needs python3)",
  async () => {
    const program = `${CALL_ALL}
def names_of(client):
    kinds = [(kind, own) for kind, own in vars(client).items() if type(own).__module__.endswith("resources")]
    return {f"{kind}.{name}": call.__wrapped__.__name__ for kind, own in kinds for name, call in vars(own).items()}
found = names_of(client)
older = [name for name in found.values() if not name.startswith("_watch_")]
show([sorted(names) == sorted(older), found == names_of(media.AsyncClient(api_key=KEY, base_url=URL))])
try: client.videos.get("vgen_1")
except AttributeError as error: show(str(error))
show([found[name] for name in ["videos.create", "images.wait", "models.list", "deliveries.redeliver"]])`;
    expect(await runPython(program, { URL: "http://127.0.0.1:1" })).toEqual([
      [true, true],
      "There is no videos.get. There are create, create_and_wait, retrieve, list, cancel, delete, wait, watch.",
      ["create_video", "wait_for_image", "list_models", "redeliver"],
    ]);
  },
);

it.skipIf(!hasPython)(
  "no option of a call has the name of a field of the service (needs python3)",
  async () => {
    const program = `
from media_generation_client import options, types
kinds = [one for name, one in vars(types).items() if name.endswith(("Request", "Filter"))]
show([len(kinds) > 5, sorted(options.OPTION_NAMES & {name for one in kinds for name in one.__annotations__})])
show(sorted(options.OPTION_NAMES))`;
    expect(await runPython(program)).toEqual([
      [true, []],
      [
        "headers",
        "idempotency_key",
        "max_attempts",
        "on_progress",
        "poll_seconds",
        "respond_async",
        "timeout_seconds",
        "wait_seconds",
      ],
    ]);
  },
);
