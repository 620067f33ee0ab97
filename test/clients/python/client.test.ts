/** The Python client against the whole service. */
import { beforeAll, describe, expect, it } from "vitest";
import { newCustomer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { hasPython, runPython } from "./python.ts";

describe.skipIf(!hasPython)("the Python client (needs python3)", () => {
  let service: SharedService;
  let key: string;
  beforeAll(async () => {
    service = await sharedService();
    key = await (await newCustomer(service)).key("test");
  });

  /** `client` has the clock of the system. */
  const run = (program: string, env: Record<string, string> = {}) =>
    runPython(`client = media.Client(api_key=KEY, base_url=URL)\n${program}`, {
      URL: service.url,
      KEY: key,
      ...env,
    });

  it("makes a video of a picture that it sends first, once for a repeated create", async () => {
    const image = makeImage("png").toString("base64");
    const shown = await run(
      `
import base64, urllib.request
picture = base64.b64decode(os.environ["PICTURE"])
path = pathlib.Path(os.environ["HOME"], "python.png")
path.write_bytes(picture)
create = lambda image: client.videos.create(model="beta-2.7-image-to-video", prompt="a cat", image_url=image, idempotency_key="python-picture")
first = create(path)
show([create(picture)["id"] == first["id"], create(io.BytesIO(picture))["id"] == first["id"]])
ended = client.videos.wait(first["id"])
show([ended["status"], urllib.request.urlopen(ended["input"]["image_url"]).status])
file = client.files.create(path)
show(file in client.files.list(limit=1))
show([client.files.retrieve(file["id"]) == file, client.files.delete(file["id"])])`,
      { PICTURE: image },
    );
    expect(shown).toEqual([[true, true], ["success", 200], true, [true, null]]);
  });

  it("does the same with asyncio: many waits at once, lists, files and errors", async () => {
    const shown = await run(`
async def main():
    client = media.AsyncClient(api_key=KEY, base_url=URL)
    seen, here = [], threading.get_ident()
    progress = lambda video: seen.append(threading.get_ident() == here)
    wait = lambda **more: client.videos.create_and_wait(model="alpha-2.0-fast", prompt="a cat", **more)
    videos = await asyncio.gather(wait(on_progress=progress), *[wait() for _ in range(8)])
    show([{video["status"] for video in videos} == {"success"}, set(seen) == {True}])
    listed = [video async for video in client.videos.list(model="alpha-2.0-fast", limit=4)]
    times = [video["created_at"] for video in listed]
    show([sorted(video["id"] for video in listed) == sorted(video["id"] for video in videos), times == sorted(times, reverse=True)])
    show([len(page.data) async for page in client.videos.list(model="alpha-2.0-fast", limit=5).pages()])
    try: await client.videos.cancel(videos[0]["id"])
    except media.ConflictError as error: show(error.code)
asyncio.run(main())`);
    expect(shown).toEqual([[true, true], [true, true], [5, 4], "already_finished"]);
  });
});
