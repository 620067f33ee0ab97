/** The Python client's types, by Pyright: its own code, its README and guide, and what a user writes. */
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const run = promisify(execFile);

/** What a user writes; the checker refuses an error that is expected and does not come. */
const TYPED = `
from datetime import datetime, timezone
from pathlib import Path
from typing import assert_type
import media_generation_client as media
from media_generation_client.types import ErrorType, Video, VideoFilter, VideoRequest, VideoSucceeded

client = media.Client(api_key="k", base_url="https://a.example.com")
request: VideoRequest = {"model": "alpha-2.0", "prompt": "a cat", "duration": 5}
assert_type(client.videos.create(**request), Video)
assert_type(media.last_response(client.videos.create(**request)).request_id, str | None)
client.videos.create(model="an-id-of-tomorrow", prompt="a cat", image_url=Path("cat.png"), timeout_seconds=5)
client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", on_progress=lambda video: print(video["progress"] + 1))
image = client.images.retrieve("igen_1")["output"]
client.images.create(model="m", prompt="a cat", image_urls=image)
client.images.create(model="m", prompt="a cat", image_urls=[image[0], Path("cat.png"), client.files.create(b"")])
client.images.create(model="m", prompt="a cat", image_urls=Path("cat.png"))  # pyright: ignore[reportArgumentType]
made = client.videos.retrieve("vgen_1")
if made["status"] == "failed":
    assert_type(made["error"]["message"], str)
made["error"]  # pyright: ignore[reportGeneralTypeIssues]
assert_type(client.videos.create_and_wait(**request), VideoSucceeded)
client.videos.create(model="alpha-2.0", prompt="a cat", video_url="no model takes it")  # pyright: ignore[reportCallIssue]
client.videos.create(model="alpha-2.0")  # pyright: ignore[reportCallIssue]
client.videos.create(model="alpha-2.0", prompt="a cat", duration="5")  # pyright: ignore[reportArgumentType]
client.videos.create(model="alpha-2.0", prompt="a cat", size="1x1")  # pyright: ignore[reportCallIssue]
client.images.create(model="m", prompt="a cat", background="red")  # pyright: ignore[reportArgumentType]
client.videos.list(created_after=datetime.now(timezone.utc), created_before="2026-11-02T00:00:00Z")
earlier: tuple[VideoFilter, ErrorType] = ({"status": "success"}, "api_error")
client.videos.list(**earlier[0])
client.videos.list(status="done")  # pyright: ignore[reportArgumentType]
assert_type([video for video in client.videos.list(status="success", limit=5)], list[Video])
assert_type(client.videos.list(limit=1).data, list[Video])
assert_type(list(client.videos.watch("vgen_1")), list[Video])
client.videos.create_and_wait(model="alpha-2.0", prompt="a cat", wait_seconds="5")  # pyright: ignore[reportArgumentType]
output = client.videos.retrieve("vgen_1")["output"][0]
assert_type((client.download(made), client.download(output, "cat.mp4")), tuple[bytes, None])
client.videos.get("vgen_1")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
event = media.verify_webhook(memoryview(b"{}"), {}, "whsec_1")
if event["type"] == "video.generation.failed":
    assert_type(event["data"]["error"]["message"], str)
assert_type(client.usage.retrieve(from_="2026-11-01")["from"], str)
try:
    client.balance.retrieve()
except media.RateLimitError as error:
    error.code == "gone"  # pyright: ignore[reportUnnecessaryComparison, reportUnusedExpression]
except media.WaitStoppedError as error:
    assert_type(error.generation_id, str)
except media.MediaError as error:
    assert_type(error.generation_id, str | None)

async def use() -> None:
    async with media.AsyncClient() as client:
        assert_type(await client.videos.create(**request), Video)
    client = media.AsyncClient()
    assert_type(await client.videos.create(**request), Video)
    assert_type([video async for video in client.videos.list()], list[Video])
    assert_type((await client.videos.list(limit=1)).data, list[Video])
    assert_type([video async for video in client.videos.watch("vgen_1")], list[Video])
    client.videos.cancel("vgen_1")  # pyright: ignore[reportUnusedCoroutine]
`;

it("the Python client is typed: its code, the samples of its README and guides, right uses and wrong ones", async () => {
  await using folder = await temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  const name = "media_generation_client";
  await cp(`clients/python/${name}`, file(name), { recursive: true });
  const guides = ["client", "idempotency", "webhook-receivers"].map(
    (name) => `services/gateway/docs/guides/${name}.md`,
  );
  const pages = ["clients/python/README.md", ...guides];
  const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
  const samples = [...texts.join("\n").matchAll(/^```python(?: Python)?\n(.*?)^```/gms)].map(
    ([, code = ""]) => code,
  );
  expect(samples).toHaveLength(9);
  for (const [at, sample] of samples.entries()) await writeFile(file(`sample_${at}.py`), sample);
  await writeFile(file("typed.py"), TYPED);
  const config = {
    pythonVersion: "3.11",
    typeCheckingMode: "strict",
    reportUnusedVariable: "none",
    reportUnnecessaryTypeIgnoreComment: "error",
    reportUnnecessaryComparison: "error",
    include: ["."],
  };
  await writeFile(file("pyrightconfig.json"), JSON.stringify(config));
  const pyright = resolve("node_modules/pyright/index.js");
  const options = { cwd: folder.path };
  const { stdout } = await run(process.execPath, [pyright], options).catch((error: unknown) => ({
    stdout: (error as { stdout: string }).stdout,
  }));
  expect(stdout).toContain("0 errors, 0 warnings");
});
