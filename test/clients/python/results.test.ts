/** What the Python client's results, lists and the client itself say where they are not used as they are meant. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, runPython } from "./python.ts";

const TRIED = `
def tried(call):
    try: call()
    except (AttributeError, TypeError) as error: show(f"{type(error).__name__}: {error}")
    else: show("no error")
`;

const VIDEO = { id: "vgen_1", status: "success", output: [{ url: "u" }], error: { code: "c" } };

describe.skipIf(!hasPython)("the Python client (needs python3)", () => {
  it("says how a result, an item of a list and an object within one are read", async () => {
    const page = { object: "list", data: [VIDEO], has_more: false };
    await using service = await answeringService([{ body: VIDEO }, { body: page }]);
    const shown = await runPython(
      `${TRIED}
video = client.videos.retrieve("vgen_1")
tried(lambda: video.status)
tried(lambda: video["output"][0].url)
tried(lambda: video.states)
(item,) = client.videos.list()
tried(lambda: item.error)
tried(lambda: item["error"].code)
tried(lambda: item.last_response)
tried(lambda: media.last_response(item))`,
      { URL: service.url },
    );
    const none = "Lists, their items and objects within a result have no last_response.";
    expect(shown).toEqual([
      'AttributeError: Results are dicts: write result["status"].',
      'AttributeError: Results are dicts: write result["url"].',
      "AttributeError: Results are dicts, and this one has no states. It has id, status, output, error.",
      'AttributeError: Results are dicts: write result["error"].',
      'AttributeError: Results are dicts: write result["code"].',
      `AttributeError: ${none}`,
      `AttributeError: ${none}`,
    ]);
  });

  it("gives results that are copied, pickled and serialised as dicts are", async () => {
    await using service = await answeringService([{ body: VIDEO }]);
    const shown = await runPython(
      `
import copy, pickle
video = client.videos.retrieve("vgen_1")
for other in (copy.copy(video), copy.deepcopy(video), pickle.loads(pickle.dumps(video))):
    show([other == video, type(other) == type(video), other.last_response == video.last_response, isinstance(other["output"][0], dict)])
show(video)
show(repr(video) == repr(json.loads(json.dumps(video))))`,
      { URL: service.url },
    );
    expect(shown).toEqual([...Array<unknown>(3).fill([true, true, true, true]), VIDEO, true]);
  });

  it("shows how a list is read, without a request, and refuses an index", async () => {
    await using service = await answeringService([{ body: {} }]);
    const shown = await runPython(
      `${TRIED}
asynchronous = media.AsyncClient(api_key=KEY, base_url=URL)
for one in (client, asynchronous):
    show(repr(one.videos.list()))
    tried(lambda: one.videos.list()[0])`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      "<Listing: a for loop reads every item, .data are those of the first page>",
      "TypeError: A Listing is read page by page: use .data[0] or a for loop.",
      "<AsyncListing: async for reads every item, awaited it is the first page>",
      "TypeError: An AsyncListing is read page by page: use (await it).data[0] or async for.",
    ]);
    expect(service.requests).toHaveLength(0);
  });

  it("names what a client has in place of what it has not", async () => {
    const shown = await runPython(`${TRIED}
for one in (client, media.AsyncClient(api_key=KEY, base_url=URL)): tried(lambda: one.video)`);
    const names =
      "balance, close, deliveries, download, files, images, models, requests, transactions, usage, videos";
    expect(shown).toEqual(
      Array<unknown>(2).fill(`AttributeError: There is no client.video. There are ${names}.`),
    );
  });
});
