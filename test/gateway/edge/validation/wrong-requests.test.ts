/** What is said of wrong requests: the code, the field and what to do next. */
import { catalogModels as models, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, IMAGE, post, VIDEO, VIDEOS } from "../../requests.ts";

const harness = useHarness();

beforeEach(() => {
  harness.backends.listModels = () => ({ models });
});

const long = (characters: number) => "é".repeat(characters);
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

/** Parses the rows of a table. In a cell, `é*3` means "ééé" and ⏎ a new line. */
const rowsOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .map((row) => row.replaceAll(/é\*(\d+)/g, (_all, count) => long(Number(count))))
    .map(
      (row) => row.replaceAll("⏎", "\n").split(" | ") as [string, string, string, string, string],
    );

/** A row is a wrong create: its kind; its body, where + adds to a right one; the code, the field and the next step. */
const BODIES = rowsOf(String.raw`
video | {"model": "beta-3.0-video"} | missing_field | prompt | prompt is required. Add it.
video | {"model": "beta-3.0-video", "promt": "a cat"} | missing_field | prompt | prompt is required. You sent "promt": correct its name.
video | {"model": "beta-3.0-video", "input": {"prompt": "a cat"}} | missing_field | prompt | prompt is required. You sent it within "input": take it out of there.
video | +{"prompt": ""} | too_short | prompt | prompt must have at least 1 character.
video | +{"prompt": "  \n"} | invalid_value | prompt | prompt must not consist of spaces only.
video | +{"prompt": "é*5001"} | too_long | prompt | prompt must have at most 5000 characters; it has 5001.
video | +{"prompt": 5} | invalid_type | prompt | prompt must be a string. Send "5" in quotation marks.
video | +{"promt": "a"} | unknown_field | promt | Unknown field: promt. Did you mean "prompt"? Remove it or correct its name.
video | +{"colour": "red"} | unknown_field | colour | Unknown field: colour. Remove it, or use one of model, prompt, image_url,
video | +{"seconds": 5} | unknown_field | seconds | Unknown field: seconds. Did you mean "duration", in seconds? Remove it or correct its name.
video | +{"fal_webhook": "https://a.example/"} | unknown_field | fal_webhook | Unknown field: fal_webhook. Did you mean "webhook_url"?
video | +{"start_image_url": "https://example.com/a.png"} | unknown_field | start_image_url | Unknown field: start_image_url. Did you mean "image_url"? Remove it or correct its name.
video | +{"input_image": "https://example.com/a.png"} | unknown_field | input_image | Unknown field: input_image. Did you mean "image_url"?
video | +{"size": "1280x720"} | unknown_field | size | Unknown field: size. Did you mean "resolution" or "aspect_ratio"? Remove it or correct its name.
video | +{"model": "gamma-image-3.0-pro", "size": "1024x1024", "n": 2} | model_kind_mismatch | model | gamma-image-3.0-pro is not a model of this route. Send it to POST /v1/images/generations.
image | +{"model": "beta-3.0-video", "duration": 5, "n": 0} | model_kind_mismatch | model | beta-3.0-video is not a model of this route. Send it to POST /v1/videos/generations.
video | +{"generate_audio": true} | unknown_field | generate_audio | Unknown field: generate_audio. Remove it: beta-3.0-video does not take audio.
video | +{"model": "alpha-2.0", "generate_audio": true} | unknown_field | generate_audio | Unknown field: generate_audio. Did you mean "audio"?
video | +{"model": "beta-2.7-text-to-video", "image": "https://example.com/a.png"} | unknown_field | image | Unknown field: image. Remove it: beta-2.7-text-to-video does not take image_url.
image | +{"model": "gpt-image-1", "n": 50} | model_not_found | model | There is no model "gpt-image-1". Use gamma-image-3.0-pro. /docs/guides/openai says
video | +{"mgs_live_abc123": 1} | unknown_field | mgs_live_… | Unknown field: mgs_live_…. Remove it, or use one of
image | +{"image_size": "1024x1024"} | unknown_field | image_size | Unknown field: image_size. Did you mean "size"? Remove it or correct its name.
video | +{"parameters": {"duration": 5}} | unknown_field | parameters | Unknown field: parameters. Send the fields that are in it at the top level.
video | +{"duration": "5"} | invalid_type | duration | duration must be an integer. Send 5 without quotation marks.
video | +{"duration": "5s"} | invalid_type | duration | duration must be an integer. Send 5 without quotation marks.
video | +{"duration": "auto"} | invalid_type | duration | duration must be an integer. beta-3.0-video takes 2 to 30 seconds.
video | +{"duration": 0} | out_of_range | duration | duration: beta-3.0-video takes 2 to 30 seconds.
video | {"prompt": "a cat", "version": "5c7d"} | missing_field | model | model is required. You sent "version": correct its name.
video | +{"aspect_ratio": "wide"} | invalid_value | aspect_ratio | aspect_ratio: beta-3.0-video takes 16:9, 9:16, 1:1, 4:3, 3:4.
video | +{"image_url": "http://a.example/"} | url_not_allowed | image_url | image_url: the URL must begin with https://.
video | +{"image_url": "./cat.png"} | url_not_allowed | image_url | image_url must be a complete URL such as https://example.com/cat.png. Send a file of your own by POST /v1/files, and its url here. Our clients do that for { path } and pathlib.Path.
video | +{"image_url": "https://127.0.0.1/a"} | url_not_allowed | image_url | image_url: the URL must name a public host, one that the internet reaches. Send a file of your own by POST /v1/files, and its url here.
video | +{"image_url": "file_2zjrwfavgwd8tj2ht7shw0cw42"} | url_not_allowed | image_url | image_url must be the url of the file, not its id. GET /v1/files/file_2zjrwfavgwd8tj2ht7shw0cw42 has the url.
video | +{"image_url": "data:image/png;base64,iVBO"} | url_not_allowed | image_url | image_url must not hold the picture itself. Send the picture by POST /v1/files, and its url here.
video | +{"image_url": "https://media.example.com/assets/file_1.png"} | file_not_found | image_url | Send the picture again and use its new URL.
video | +{"webhook_url": "http://localhost:3000/hook"} | url_not_allowed | webhook_url | webhook_url: the URL must begin with https:// and name a public host. For events on your own machine run media-generation listen: see /docs/guides/webhook-receivers#on-your-machine.
video | +{"webhook_url": "https://media.example.com/assets/00000000000000000000000000.png"} | url_not_allowed | webhook_url | webhook_url: the URL is not allowed.
video | +{"metadata": {"order": 7}} | invalid_type | metadata.order | metadata.order must be a string. Send "7" in quotation marks.
video | +{"metadata": {"é*65": "v"}} | too_long | metadata.é*65 | must have at most 64 characters; it has 65.
video | +{"reference_images": [{"url": "https://a.example/", "role": "subject", "weight": 1}]} | unknown_field | reference_images[0].weight | Unknown field: reference_images[0].weight. Remove it, or use one of url, role.
video | {"model":"beta-3.0-video","prompt":"a","__proto__":{"duration":5}} | unknown_field | __proto__ | Unknown field: __proto__. Send the fields that are in it at the top level.
video | [] | invalid_type |  | The body must be an object.
video | "{\"model\":\"beta-3.0-video\",\"prompt\":\"a cat\"}" | invalid_type |  | The body must be an object, and is a text that holds one: it was serialised twice.
video | {"model":"m","prompt":"a","duration":5,"duration":10} | invalid_value | duration | duration is in the body twice. Send it once.
video | {"model":"m","prompt":"a","metadata":{"a":"{","b":"","a":"}"}} | invalid_value | metadata.a | metadata.a is in the body twice. Send it once.
video | {⏎  "prompt": a secret⏎} | invalid_json |  | The body is not JSON: Unexpected token 'a', ...""prompt": a secret⏎}" is not valid JSON.
image | +{"size": "1024*1024"} | unsupported_size | size | The nearest is 1024x1024.
image | +{"size": "landscape_4_3"} | unsupported_size | size | The nearest is 1152x864.
image | +{"size": "portrait_16_9"} | unsupported_size | size | The nearest is 720x1280.
image | +{"size": "square_hd"} | unsupported_size | size | The nearest is 1024x1024.
image | +{"size": "4096*4096"} | unsupported_size | size | The nearest is 2048x2048.
image | +{"size": {"width": 1024, "height": 1024}} | invalid_type | size | size must be a string. Send "1024x1024".
image | +{"size": {"width": 0, "height": 1024}} | invalid_type | size | size must be a string.
image | +{"output_format": "jpg"} | invalid_value | output_format | output_format: gamma-image-3.0-pro takes png, jpeg, webp. Did you mean "jpeg"?
image | +{"image_urls": "https://example.com/a.png"} | invalid_type | image_urls | image_urls must be a list. Send it as ["…"].
image | +{"image_urls": ["https://127.0.0.1/a"]} | url_not_allowed | image_urls[0] | image_urls[0]: the URL must name a public host, one that the internet reaches.
video | {"model":"m","prompt":"a","x":[[],{"b":1},{"c":[1,2],"c":1}]} | invalid_value | x[2].c | x[2].c is in the body twice. Send it once.
video | {"model":"m","prompt":"a","promp\u0074":"a"} | invalid_value | prompt | prompt is in the body twice. Send it once.
video | {"model":"beta-3.0-video","prompt":"a","metadata":{"\udc00":"v"}} | invalid_value | metadata.� | must be well-formed Unicode
video | {"model":"beta-3.0-video","prompt":"a","metadata":{"__proto__":"v"}} | invalid_value | metadata.__proto__ | An example: "order_id".
openai video | +{"seconds": 8} | invalid_type | seconds | seconds must be a string. Send "8" in quotation marks.
openai video | +{"duration": 8} | unknown_field | duration | Unknown field: duration. Did you mean "seconds"? Remove it or correct its name.
openai video | +{"input_reference": {}} | too_short | input_reference | input_reference must have at least 1 entry of image_url, file_id.
openai video | +{"input_reference": {"image_url": "data:image/png;base64,"}} | invalid_value | input_reference | input_reference has no bytes in base64.
openai video | +{"input_reference": {"image_url": "data:image/png;base64,!!!!"}} | invalid_value | input_reference | input_reference has no bytes in base64.
openai video | +{"input_reference": {"image_url": "data:image/png;base64,===="}} | invalid_value | input_reference | input_reference has no bytes in base64.
openai image | +{"quality": "high"} | invalid_value | quality | quality must be auto: this service has no such choice. Leave it out.
openai image | +{"stream": true} | invalid_value | stream | stream must be false: this service has no such choice. Leave it out.
`);

const PATHS = rowsOf(`
GET /v1/models?limit=1 | unknown_field | limit | Unknown query parameter: limit. Remove it: this request takes none.
GET /v1/videos/generations?limit=0 | out_of_range | limit | limit must be from 1 to 100.
GET /v1/videos/generations?limit=0x5 | invalid_type | limit | limit must be an integer. Send one from 1 to 100.
GET /v1/files?limit=+5 | invalid_type | limit | limit must be an integer. Send one from 1 to 100.
GET /v1/images/generations?limit=5&end_user=%ff | invalid_value |  | The query has a % that begins no character of UTF-8. Write % as %25.
GET /v1/videos/generations?limit=1&limit=2 | invalid_type | limit | Send limit once.
GET /v1/videos/generations?page=2 | unknown_field | page | Unknown query parameter: page. For the next page send after, the id of the last object of this one. Remove it, or use one of status, model, end_user, created_after, created_before, limit, after.
POST /v1/videos/generations?fal_webhook=https://a.b | unknown_field | fal_webhook | Unknown query parameter: fal_webhook. Send it as webhook_url in the body.
POST /v1/videos/generations?prompt=a | unknown_field | prompt | Unknown query parameter: prompt. Send it as prompt in the body.
POST /v1/videos/generations?id=1 | unknown_field | id | Unknown query parameter: id. Remove it: this request takes none.
POST /v1/images/generations?v=2 | unknown_field | v | Unknown query parameter: v. Remove it: this request takes none.
GET /v1/transactions?type=charged | invalid_value | type | Did you mean "capture"?
GET /v1/videos/generations?status=completed | invalid_value | status | Did you mean "success"?
GET /v1/videos/generations?status=done | invalid_value | status | status must be one of pending, processing, success, failed, canceled.
GET /v1/videos/generations?stauts=success | unknown_field | stauts | Unknown query parameter: stauts. Did you mean "status"? Remove it or correct its name.
GET /v1/videos/generations?created_after=2026-11-17T00:00:00+01:00 | invalid_value | created_after | created_after must be an RFC 3339 time, such as 2026-11-17T00:00:00Z, with + written as %2B.
GET /v1/videos/generations?after=x | invalid_value | after | after does not have the right form. An example: "vgen_2zjrwfavgwd8tj2ht7shw0cw42".
GET /v1/usage?start=2026-11-17 | unknown_field | start | Unknown query parameter: start. Did you mean "from", a day such as 2026-11-17? Remove it or correct its name.
GET /v1/usage?end=1763337600 | unknown_field | end | Unknown query parameter: end. Did you mean "to", a day such as 2026-11-17?
GET /v1/usage?from=yesterday | invalid_value | from | from must be a day such as 2026-11-17.
POST /v1/models/owner/name/predictions | route_not_found |  | see /docs/guides/replicate.
POST /v1/models | method_not_allowed |  | This path does not have POST. Use GET or HEAD.
POST /assets/a.mp4 | method_not_allowed |  | This path does not have POST. Use GET, HEAD or OPTIONS.
GET /v1/Models/ | route_not_found |  | Did you mean /v1/models? Correct the path, or the base URL of your client.
GET /v1/videos/vgen_2zjrwfavgwd8tj2ht7shw0cw42 | route_not_found |  | Did you mean /v1/videos/generations/{id}? Correct the path, or the base URL of your client.
GET /v1/videos/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42/status | route_not_found |  | Did you mean /v1/videos/generations/{id}? Correct the path, or the base URL of your client.
POST /v1/videos/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42/stop | route_not_found |  | Did you mean /v1/videos/generations/{id}/cancel? Correct the path, or the base URL of your client.
GET /models | route_not_found |  | Did you mean /v1/models? Correct the path, or the base URL of your client.
POST /api/v1/videos/generations | route_not_found |  | Did you mean /v1/videos/generations? Correct the path, or the base URL of your client.
POST /v1/predictions | route_not_found |  | Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image: see /docs/guides/replicate.
POST /v1/queue/fal-ai/veo3.1 | route_not_found |  | Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image: see /docs/guides/fal.
POST /v1/chat/completions | route_not_found |  | This service makes videos and images only. Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image. OpenAI's clients need the base URL /openai/v1: see /docs/guides/openai.
POST /openai/v1/chat/completions | route_not_found |  | This service has no text models: /docs/guides/openai lists what works.
POST /openai/v1/videos/vgen_2zjrwfavgwd8tj2ht7shw0cw42/remix | route_not_found |  | This service has no remixes of videos: /docs/guides/openai lists what works.
POST /openai/v1/videos/edits | route_not_found |  | This service has no edits of videos: /docs/guides/openai lists what works.
POST /openai/v1/videos/extensions | route_not_found |  | This service has no extensions of videos: /docs/guides/openai lists what works.
GET /openai/v1/videos/characters/char_1 | route_not_found |  | This service has no characters: /docs/guides/openai lists what works.
POST /openai/v1/files | route_not_found |  | has no files here. Use POST /v1/files, and the id that it returns: /docs/guides/openai lists what works.
POST /openai/v1/batches | route_not_found |  | Send each create in a request of its own: /docs/guides/openai lists what works.
POST /openai/v1/responses | route_not_found |  | Make images with images.generate, POST /images/generations: /docs/guides/openai lists what works.
POST /openai/v1/videos/vgen_2zjrwfavgwd8tj2ht7shw0cw42/cancel | route_not_found |  | cancel here. Use POST /v1/videos/generations/{id}/cancel: /docs/guides/openai lists what works.
POST /v1/images/edits | route_not_found |  | Here POST /v1/images/generations takes the pictures to edit as image_urls. OpenAI's clients need the base URL /openai/v1: see /docs/guides/openai.
POST /v1/uploads | route_not_found |  | Here POST /v1/files takes a picture.
POST /v1/webhooks | route_not_found |  | Set webhook_url in the create, and GET /v1/webhooks/deliveries lists what was sent: see /docs/guides/webhooks.
GET /v1/webhooks/deliveris | route_not_found |  | Did you mean /v1/webhooks/deliveries?
POST /v1/mcp | route_not_found |  | The MCP server is at /mcp: see /docs/guides/mcp.
POST /v1/api_keys | route_not_found |  | API keys are made in the dashboard: see /docs/guides/api-keys.
GET /v1/requests?status=foo | invalid_value | status | status must be an HTTP status such as 404, or a class of them such as 4xx.
GET /v1/credits | route_not_found |  | Here GET /v1/balance has the Tokens that are left.
GET /v1/models/gamma-image-3.0-por | model_not_found |  | There is no such model. Did you mean "gamma-image-3.0-pro"? GET /v1/models lists them.
GET /openai/v1/models/GAMMA-IMAGE-3.0-PRO | model_not_found |  | Did you mean "gamma-image-3.0-pro"? GET /openai/v1/models lists them.
GET /v1/models/sora-2 | model_not_found |  | gamma-image-3.0-pro. /docs/guides/openai says what to use instead. GET /v1/models lists them.
GET /openai/v1/models/sora-2 | model_not_found |  | /docs/guides/openai says what to use instead. GET /openai/v1/models lists them.
GET /v1/models/é*2000 | model_not_found |  | There is no such model. Use one of alpha-2.0, 
GET /v1/videos/generations/igen_2zjrwfavgwd8tj2ht7shw0cw42 | generation_not_found |  | An id that begins with igen_ is that of an image. Use /v1/images/generations/{id}.
GET /openai/v1/videos/igen_2zjrwfavgwd8tj2ht7shw0cw42 | generation_not_found |  | that of an image. Use /v1/images/generations/{id}.
GET /v1/images/generations/vgen_2zjrwfavgwd8tj2ht7shw0cw42 | generation_not_found |  | An id that begins with vgen_ is that of a video. Use /v1/videos/generations/{id}.
GET /v1/usage?from=2025-11-17&to=2025-11-16 | out_of_range | to | to must not be before from, nor more than 91 days after it.
GET /v1/usage?from=2026-01-01&to=2026-04-03 | out_of_range | to | to must not be before from, nor more than 91 days after it.
GET /v1/usage?from=2999-01-01 | out_of_range | from | from must not be after today.
GET /v1/usage?from=0001-01-01&to=0001-01-01 | out_of_range | from | from must be a day from 1970-01-01 to 9998-12-31.
GET /v1/usage?to=9999-01-01 | out_of_range | to | to must be a day from 1970-01-01 to 9998-12-31.
POST /v1/videos/generations/ | route_not_found |  | This path does not exist.
POST /v1/videos/generations//cancel | route_not_found |  | This path does not exist.
GET /v1 | route_not_found |  | The operations are below it: /docs describes them, /openapi.json is the specification.
GET /nope | route_not_found |  | There is nothing at this path. Check it against the reference.
`);

/** Of the headers that have the key. */
const KEYS = rowsOf(String.raw`
{} | missing_api_key | Send your API key in the header Authorization: Bearer <API key>.
{"x-api-key":"k"} | missing_api_key | Send your API key in the header Authorization: Bearer <API key>, not in X-API-Key.
{"authorization":"Key k"} | missing_api_key | Yours does not begin with Bearer.
{"authorization":"mgs_test_k"} | missing_api_key | Yours does not begin with Bearer.
{"authorization":"Bearer "} | missing_api_key | Yours has no key: check that your client has one set.
{"authorization":"Bearer Bearer k"} | invalid_api_key | once, and have no spaces in the key.
{"authorization":"Bearer \"mgs_test_k\""} | invalid_api_key | Leave out the quotation marks around the key.
{"authorization":"Bearer $MEDIA_API_KEY"} | invalid_api_key | was not replaced: a shell does so within double quotation marks.
{"authorization":"Bearer sk-abc"} | invalid_api_key | Keys of this service begin with mgs_live_ or mgs_test_. Yours does not.
{"authorization":"Bearer mgs_test_k"} | invalid_api_key | There is no such key. Check that it was copied whole.
`);

/** The path of each kind of create, and a right body. */
const CREATES: Readonly<Record<string, readonly [path: string, right: object]>> = {
  video: [VIDEOS, VIDEO],
  image: ["/v1/images/generations", IMAGE],
  "openai video": ["/openai/v1/videos", VIDEO],
  "openai image": ["/openai/v1/images/generations", IMAGE],
};

async function refused(body: unknown, path = VIDEOS) {
  const error = await errorOf(harness.post(path, body));
  expect(error.status).toBe(400);
  expect(harness.calls.filter(({ method }) => method.startsWith("create"))).toEqual([]);
  return error;
}

/** Pages are told by their addresses. */
const addressed = (message: string) =>
  message.replaceAll(/ (?=\/(?:docs|openapi\.|openai\/v1[.:]))/g, ` ${harness.url}`);

const told = ({ code, param, message }: Awaited<ReturnType<typeof errorOf>>) => [
  code,
  param ?? "",
  message,
];

describe("a wrong request", () => {
  it.each(BODIES)("of a(n) %s: %s", async (kind, text, code, param, next) => {
    const [path, right] = CREATES[kind] ?? [];
    const body = text.startsWith("+") ? { ...right, ...JSON.parse(text.slice(1)) } : text;
    const error = await refused(body, path);
    expect(told(error)).toEqual([code, param, expect.stringContaining(addressed(next))]);
  });

  it.each(PATHS)("to a path: %s", async (line, code, param, next) => {
    const [method, path = ""] = line.split(" ");
    const error = await errorOf(harness.sendBare(method ?? "", path));
    expect(told(error)).toEqual([code, param, expect.stringContaining(addressed(next))]);
    expect(harness.calls.filter(({ method }) => method !== "listModels")).toEqual([]);
    for (const [link] of next.matchAll(/\/docs\/[\w/-]+/g)) {
      expect([link, (await harness.send(link)).status]).toEqual([link, 200]);
    }
  });

  it.each(KEYS)("with the headers %s", async (headers, code, next) => {
    const init = { headers: JSON.parse(headers) as Record<string, string> };
    const response = await harness.send("/v1/balance", init);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    const message = expect.stringContaining(next);
    expect(await errorOf(response)).toMatchObject({ status: 401, code, message });
  });

  it("is told by its form where the model is unknown, of the other kind or cannot be asked for", async () => {
    const form =
      'aspect_ratio does not have the right form. An example: "16:9". GET /v1/models says';
    const body = { model: "gamma-image-3.0-pro", prompt: "a cat", aspect_ratio: "wide" };
    expect((await refused(body)).message).toContain(form);
    harness.backends.listModels = refusing("UNAVAILABLE", "away");
    expect((await refused({ ...body, model: "beta-3.0-video" })).message).toContain(form);
  });

  it("of an unknown field names those that the model takes, or else any model of the catalog", async () => {
    const namesFor = async (model: string) => {
      const error = await refused({ model, prompt: "a cat", colour: "red" });
      const { message } = error.errors?.at(-1) ?? error;
      return message.slice(message.indexOf("one of ") + "one of ".length, -1).split(", ");
    };
    const { fields } = await harness.json<{ fields: string[] }>("/v1/models/beta-3.0-video");
    expect(await namesFor("beta-3.0-video")).toEqual(fields);
    expect(await namesFor("m")).toEqual(expect.arrayContaining(fields));
    expect(await namesFor("m")).not.toContain("video_url");
  });

  it("costs no look at the models where nothing depends on them", async () => {
    await refused({ prompt: "", duration: "5" });
    expect(harness.calls).toEqual([]);
  });
});

describe("several faults", () => {
  it("are listed in the document's order, unknown fields last, and the first is the main error", async () => {
    const metadata = { b: 1, a: 2 };
    const unknown = { video: "a.mp4", zzz: 1, aaa: 1 };
    const wrong = { duration: 4.5, negative_prompt: 1, prompt: "" };
    const error = await refused({ model: "m", ...unknown, metadata, ...wrong });
    expect(error.errors?.map(({ code, param }) => `${param} ${code}`)).toEqual([
      "model model_not_found",
      "prompt too_short",
      "duration invalid_type",
      "negative_prompt invalid_type",
      "metadata.b invalid_type",
      "metadata.a invalid_type",
      "video unknown_field",
      "zzz unknown_field",
      "aaa unknown_field",
    ]);
    expect(error).toMatchObject({ ...error.errors?.[0] });
    const messages = error.errors?.map(({ message }) => message);
    expect(messages).toContain("duration must be an integer. Send one from 1 to 3600.");
    expect(messages).toContain("Unknown field: video. Remove it: no model takes video_url now.");
    const lists = error.errors?.slice(-2).map(({ message }) => message.split(": zzz. ").pop());
    expect(lists?.[0]).toMatch(/^Remove it, or use one of model, prompt, /);
    expect(lists?.[1]).toBe("Unknown field: aaa. Remove it.");
  });

  it("of headers and query are reported together, before the body is read", async () => {
    const sent = harness.post(`${VIDEOS}?x=1`, "not json", { "idempotency-key": "a b" });
    const error = await errorOf(sent);
    expect(error.errors?.map(({ param }) => param)).toEqual(["Idempotency-Key", "x"]);
  });

  it("are at most a hundred, however many there are", async () => {
    expect((await refused({ ...VIDEO, model: "m", ...entries(1_000) })).errors).toHaveLength(100);
    const metadata = { ...entries(1_000), [long(60_000)]: "v" };
    expect((await refused({ ...VIDEO, metadata })).param).toBe("metadata");
  });

  it("are not looked for in a large body of more parts than the longest prompts have", async () => {
    const text = JSON.stringify({ model: "m", prompt: "a cat", ...entries(8_001) });
    const error = await errorOf(harness.post(VIDEOS, text));
    expect(error).toMatchObject({ status: 413, code: "body_too_large" });
    const commas = { model: "beta-3.0-video", prompt: ",".repeat(5_000).padEnd(5_001) };
    expect((await refused(JSON.stringify(commas).padEnd(20_000))).param).toBe("prompt");
  });
});

describe("a body", () => {
  it("may have one name at several depths, and as text", async () => {
    const body = '{"model":"m","prompt":"\\"model\\":{\\"","metadata":{"model":"m","prompt":","}}';
    expect((await harness.post(VIDEOS, body)).status).toBe(202);
  });

  it("that is not UTF-8, or absent, is 400 invalid_json", async () => {
    const { headers } = post(harness.key.secret, "");
    const bytes = Buffer.concat([Buffer.from('{"model":"'), Buffer.of(0xff), Buffer.from('"}')]);
    for (const body of [bytes, undefined]) {
      const init = { method: "POST", headers, ...(body && { body }) } as RequestInit;
      const error = await errorOf(harness.send(VIDEOS, init));
      expect(error).toMatchObject({ status: 400, code: "invalid_json" });
    }
  });

  it("that is nested thousands deep is refused like any other", async () => {
    const deep = `${"[".repeat(7_900)}${"]".repeat(7_900)}`;
    expect(told(await refused(deep)).slice(0, 2)).toEqual(["invalid_type", ""]);
    const unknown = await refused(`{"model":"beta-3.0-video","prompt":"a","x":${deep}}`);
    expect(told(unknown).slice(0, 2)).toEqual(["unknown_field", "x"]);
  });
});
