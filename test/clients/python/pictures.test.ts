/** Pictures of the caller's own in place of URLs, on a service that answers as told. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, runPython } from "./python.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe.skipIf(!hasPython)("a picture (needs python3)", () => {
  it("of any form is sent first wherever a create takes one, and its URL takes its place", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "c");
    await writeFile(path, "c");
    await using service = await answeringService([
      { body: { id: "file_1", url: "https://f.example.com/1" } },
    ]);
    await runPython(
      `
path = pathlib.Path(os.environ["FILE"])
pictures = [b"a", bytearray(b"b"), path, path.open("rb"), io.BytesIO(b"d")]
client.images.create(model="m", prompt="p", image_urls=["https://a.example.com/1.png", *pictures], mask_url=b"e", metadata={"path": str(path)})
client.videos.create(model="m", prompt="p", image_url=b"f", last_image_url=b"g", reference_images=[{"url": b"h", "role": "style"}])`,
      { URL: service.url, FILE: path },
    );
    const files = service.requests.filter(({ path: sent }) => sent === "/v1/files");
    expect(files.map(({ body }) => body)).toEqual(["a", "b", "c", "c", "d", "e", "f", "g", "h"]);
    expect(new Set(files.map(({ headers }) => headers["content-type"]))).toEqual(
      new Set(["application/octet-stream"]),
    );
    const url = "https://f.example.com/1";
    const creates = service.requests.filter(({ path: sent }) => sent !== "/v1/files");
    expect(creates.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        model: "m",
        prompt: "p",
        image_urls: ["https://a.example.com/1.png", url, url, url, url, url],
        mask_url: url,
        metadata: { path },
      },
      {
        model: "m",
        prompt: "p",
        image_url: url,
        last_image_url: url,
        reference_images: [{ url, role: "style" }],
      },
    ]);
  });

  it("is never a text, and what cannot be read or is in another field sends nothing", async () => {
    await using service = await answeringService([{ body: { id: "vgen_1" } }]);
    const shown = await runPython(
      `
def tried(**fields):
    try: client.videos.create(model="m", prompt="p", **fields)
    except (OSError, TypeError) as error: show([type(error).__name__, str(error)[:40]])
tried(image_url=pathlib.Path("/none.png"))
tried(image_url=io.StringIO("text"))
tried(negative_prompt=b"bytes")
try: client.files.create("/etc/hostname")
except TypeError as error: show(str(error)[:20])
tried(image_url="/etc/hostname")`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      ["FileNotFoundError", expect.stringContaining("No such file") as string],
      ["TypeError", "A picture is bytes, a pathlib.Path or a "],
      ["TypeError", "negative_prompt takes no picture."],
      "A picture is bytes, ",
    ]);
    expect(service.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { model: "m", prompt: "p", image_url: "/etc/hostname" },
    ]);
  });
});

it.skipIf(!hasPython)(
  "a download that breaks off begins anew, and one that fails leaves no file (needs python3)",
  async () => {
    await using folder = await temporaryFolder();
    const file = { body: "the file", headers: { "content-length": "8" } };
    await using service = await answeringService([{ breaks: true }, file, { status: 410 }]);
    const shown = await runPython(
      `
path = pathlib.Path(os.environ["FILE"])
output = {"url": URL + "/assets/1.mp4"}
client.download(output, path)
show([path.read_text(), slept])
try: client.download(output, str(path) + "2")
except media.ApiError as error: show(error.status)
try: client.download({"url": "file:///etc/hostname"}, path, max_attempts=1)
except media.ConnectionError as error: show("no URL of the web")
show([one.name for one in path.parent.iterdir()])`,
      { URL: service.url, FILE: join(folder.path, "cat.mp4") },
    );
    expect(shown).toEqual([["the file", [0.25]], 410, "no URL of the web", ["cat.mp4"]]);
    expect(service.requests.map(({ headers }) => headers["authorization"])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  },
);
