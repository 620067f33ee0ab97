/** The Python client's waits that are cut short name the generation, and its streams of events. */
import { startHttp } from "../../support/http-server.ts";
import { answeringService, hasPython, runPython, streamOf, type Answer } from "./python.ts";

const answer = (status: string, progress: number): Answer => ({
  body: { id: "vgen_1", status, progress, output: [] },
});
const STOPPED = `The wait for vgen_1 was stopped; the generation goes on. Wait again with client.videos.wait("vgen_1").`;

describe.skipIf(!hasPython)("a wait of the Python client (needs python3)", () => {
  it("ends after wait_seconds with an error that has the id, and reads no more", async () => {
    await using service = await answeringService([answer("processing", 9)]);
    const shown = await service.runPython(`
from fractions import Fraction # A number that is no float, as numpy has them.
for wait in (lambda: client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", wait_seconds=5, max_attempts=float("inf")), lambda: client.videos.wait("vgen_1", wait_seconds=Fraction("3.5"), poll_seconds=Fraction(2), timeout_seconds=Fraction(9), on_progress=lambda video: None)):
    try: wait()
    except TimeoutError as error: show([type(error).__name__, error.generation_id, str(error), list(slept)])
    slept.clear()`);
    expect(shown).toEqual([
      ["WaitStoppedError", "vgen_1", STOPPED, [2, 2, 1]],
      ["WaitStoppedError", "vgen_1", STOPPED, [2, 1.5]],
    ]);
    const holds = service.requests.map(({ headers }) => headers["prefer"]?.slice(5) ?? "");
    expect(holds.join()).toBe(",5,3,1,,2,1");
  });

  it("reads again after its interval also where the clock was set back by an hour", async () => {
    await using service = await answeringService([answer("processing", 9), answer("success", 100)]);
    const shown = await service.runPython(`
times = [3600.0]
timing = media.Timing(sleep=sleep, now=lambda: times.pop() if times else 0.0)
media.Client(api_key=KEY, base_url=URL, timing=timing).videos.wait("vgen_1")
show(slept)`);
    expect(shown).toEqual([[2]]);
  });

  it("that an error of on_progress ends names in a note what was created", async () => {
    await using service = await answeringService([answer("processing", 9)]);
    const shown = await service.runPython(`
try: client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", on_progress=lambda video: 1 / 0)
except ZeroDivisionError as error: show(error.__notes__)
async def main():
    client = media.AsyncClient(api_key=KEY, base_url=URL)
    try: await client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", on_progress=lambda video: 1 / 0)
    except ZeroDivisionError as error: show(error.__notes__)
asyncio.run(main())`);
    const note = 'vgen_1 was created. Wait again with client.videos.wait("vgen_1").';
    expect(shown).toEqual([[note], [note]]);
  });

  it("ends after wait_seconds also where the service does not answer, with asyncio too", async () => {
    await using service = await answeringService([{ silent: true }]);
    const shown = await service.runPython(`
import time
began = time.monotonic()
async def main():
    client = media.AsyncClient(api_key=KEY, base_url=URL)
    try: await client.videos.wait("vgen_1", wait_seconds=0.2)
    except media.WaitStoppedError as error: show([str(error), type(error.__cause__).__name__, time.monotonic() - began < 20])
asyncio.run(main())`);
    expect(shown).toEqual([[STOPPED, "TimeoutError", true]]);
    expect(service.requests).toHaveLength(1);
  });

  it("that asyncio ends tells the id in a note, before the create is answered its key, and calls back in the loop", async () => {
    await using service = await answeringService([answer("pending", 0)]);
    const shown = await service.runPython(`
async def main():
    loop = asyncio.get_running_loop()
    create = lambda client, **more: asyncio.create_task(client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", **more))
    client = media.AsyncClient(api_key=KEY, base_url=URL)
    here = threading.get_ident()
    canceled = create(client, on_progress=lambda video: canceled.cancel(threading.get_ident() == here))
    try: await canceled
    except asyncio.CancelledError as error: show([*error.args, *error.__notes__])
    try:
        async with asyncio.timeout(None) as limit: await create(client, on_progress=lambda video: limit.reschedule(loop.time()))
    except TimeoutError as error: show(error.__context__.__notes__)
    ended = threading.Event()
    def cancel_at_start():
        loop.call_soon_threadsafe(lambda: started.cancel())
        ended.wait()
        return 0.0
    client = media.AsyncClient(api_key=KEY, base_url=URL, timing=media.Timing(now=cancel_at_start))
    started = create(client, idempotency_key="boat-1")
    started.add_done_callback(lambda task: ended.set())
    try: await started
    except asyncio.CancelledError as error: show(error.__notes__)
asyncio.run(main())`);
    const created = [`vgen_1 goes on. Wait again with client.videos.wait("vgen_1").`];
    const unknown = `The create may have been accepted: one with idempotency_key='boat-1' gets the same.`;
    expect(shown).toEqual([[true, ...created], created, [unknown]]);
  });
});

it.skipIf(!hasPython)("a Python create may be accepted only where it was sent", async () => {
  await using service = await startHttp(({ socket }) => socket.destroy());
  const create = `
for url in (URL, "http://127.0.0.1:1"):
    try: media.Client(api_key=KEY, base_url=url, timing=timing).images.create(model="m", prompt="a")
    except media.ConnectionError as error: show("may have been accepted" in str(error))`;
  expect(await runPython(create, { URL: service.url })).toEqual([true, false]);
});

describe.skipIf(!hasPython)("calls of asyncio (needs python3)", () => {
  it("that are many and not answered keep neither other calls and lists waiting nor the program from its end", async () => {
    await using service = await startHttp(({ url }, response) => {
      if (url === "/v1/balance") response.end('{"available":7}');
      if (url === "/v1/files") response.end('{"data":[],"has_more":false}');
    });
    const shown = await runPython(
      `
async def main():
    client = media.AsyncClient(api_key=KEY, base_url=URL + "/v1")
    waiting = [asyncio.create_task(client.videos.retrieve(f"vgen_{n}")) for n in range(100)]
    waiting.append(asyncio.ensure_future(client.videos.list()))
    await asyncio.sleep(0)
    show(await client.balance.retrieve())
    show((await asyncio.wait_for(client.files.list(), 20)).data)
    for one in waiting: one.cancel()
asyncio.run(main())`,
      { URL: service.url },
    );
    expect(shown).toEqual([{ available: 7 }, []]);
  });

  it("yield lists and watching as async generators, which can be left early", async () => {
    const page = (id: string, has_more: boolean) => ({ body: { data: [{ id }], has_more } });
    const pages = [page("b", true), page("a", false)];
    await using service = await answeringService([
      ...pages,
      ...pages,
      ...pages,
      streamOf("processing 40", "success 100"),
    ]);
    const shown = await service.runPython(`
async def main():
    client = media.AsyncClient(api_key=KEY, base_url=URL)
    show([video["id"] async for video in client.videos.list()])
    show([page.next_cursor async for page in client.videos.list().pages()])
    listing = client.videos.list()
    show([(await listing).has_more, (await listing).has_more])
    show([one["progress"] async for one in client.videos.watch("vgen_1")])
    async for one in client.videos.watch("vgen_1"):
        show(one["progress"])
        break
asyncio.run(main())`);
    expect(shown).toEqual([["b", "a"], ["b", null], [true, false], [40, 100], 40]);
  });
});
