/** The command line's parts: price, request, options and progress display. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine, type Actions } from "../../../clients/typescript/cli/commands.ts";
import { completionScript } from "../../../clients/typescript/cli/completion.ts";
import { requestFor, type CreateOptions } from "../../../clients/typescript/cli/create-request.ts";
import { baseUrlOf, resolveFromCaller } from "../../../clients/typescript/cli/environment.ts";
import { errorText } from "../../../clients/typescript/cli/error-text.ts";
import { screenOn, tokensText } from "../../../clients/typescript/cli/progress-display.ts";
import { hasExtensionOf, numbered } from "../../../clients/typescript/cli/save-file.ts";
import { helpText } from "../../../clients/typescript/cli/help.ts";
import { quoteFor } from "../../../clients/typescript/cli/quote.ts";
import { getCommand } from "../../../clients/typescript/cli/run.ts";
import { tableLines } from "../../../clients/typescript/cli/table.ts";
import {
  ApiError,
  ArgumentError,
  quoteTokens,
  type Model,
} from "../../../clients/typescript/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const video = {
  id: "alpha-2.0",
  kind: "video",
  availability: "available",
  inputs: ["text", "image"],
  required_inputs: ["text"],
  max_reference_images: 1,
  durations: { min: 5, max: 15, step: 1, default: 5 },
  aspect_ratios: ["16:9"],
  default_aspect_ratio: "16:9",
  pricing: { unit: "second", unit_quantity: 5, tokens: 210 },
} as Model;
const image = {
  id: "gamma",
  kind: "image",
  availability: "available",
  inputs: ["text", "image"],
  required_inputs: ["text"],
  max_reference_images: 2,
  default_size: "1024x1024",
  pricing: {
    tokens: 42,
    tiers: [
      { tier: "1K", sizes: ["1024x1024"], tokens: 42 },
      { tier: "2K", sizes: ["2048x2048"], tokens: 84 },
    ],
    tokens_per_reference_image: 21,
  },
} as Model;

const quote = (model: Model, options: CreateOptions) =>
  quoteFor(model, requestFor(model.kind, model.id, "a cat", options, {}));

describe("the price shown before the create", () => {
  it("is that of a video's started units, with the model's default duration", () => {
    expect(quote(video, {})).toBe(210n);
    expect(quote(video, { duration: 5 })).toBe(210n);
    expect(quote(video, { duration: 6 })).toBe(420n);
  });

  it("is that of an image's size and references", () => {
    expect(quote(image, {})).toBe(42n);
    expect(quote(image, { size: "2048x2048", image: ["https://a", "https://b"] })).toBe(126n);
  });

  it("has the surcharges of what is asked for, and is that of all images", () => {
    const surcharges = [
      { parameter: "resolution", value: "1080P", tokens: 100 },
      { parameter: "audio", tokens: 7 },
    ];
    const priced = { ...video, pricing: { ...video.pricing, surcharges } } as Model;
    expect(quote(priced, { duration: 6, resolution: "1080P" })).toBe(620n);
    expect(quote(priced, { resolution: "720P", audio: false })).toBe(217n);
    expect(quote(image, { n: 3, image: ["https://a"] })).toBe(189n);
  });

  it("is omitted where the catalog has none", () => {
    expect(quote({ ...video, pricing: null }, {})).toBeUndefined();
    expect(quote({ ...video, availability: "unavailable" }, {})).toBeUndefined();
  });

  it("is omitted for a count that the model does not take", () => {
    const several = { ...image, parameters: { n: { max: 4 } } } as unknown as Model;
    expect(quote(several, { n: 4 })).toBe(168n);
    expect(quote(several, { n: 0 })).toBeUndefined();
    expect(quote(several, { n: 5 })).toBeUndefined();
  });

  it("is omitted for a value of an optional field that the model does not have", () => {
    const parameters = { resolution: { values: ["720P"] }, audio: {} };
    const sharp = { ...video, parameters } as unknown as Model;
    expect(quote(sharp, { resolution: "720P", audio: true })).toBe(210n);
    expect(quote(sharp, { resolution: "1080P" })).toBeUndefined();
  });

  it("is omitted for input that the model does not take", () => {
    const urls = (count: number) => Array.from({ length: count }, () => "https://a");
    const cases: [Model, CreateOptions][] = [
      [video, { duration: 4 }],
      [video, { duration: 16 }],
      [{ ...video, durations: { min: 5, max: 15, step: 5, default: 5 } }, { duration: 6 }],
      [video, { aspectRatio: "wide" }],
      [{ ...video, inputs: ["text"] }, { image: urls(1) }],
      [{ ...video, required_inputs: ["text", "image"] }, {}],
      [image, { size: "1x1" }],
      [image, { image: urls(3) }],
    ];
    for (const [model, options] of cases) expect(quote(model, options)).toBeUndefined();
    const request = { model: "alpha-2.0", prompt: "a cat" };
    expect(quoteTokens(video, { ...request, duration: 6 })).toBe(420n);
    expect(quoteTokens(video, { ...request, duration: 16 })).toBeUndefined();
  });
});

describe("the request", () => {
  it("has the options under the names of the API", () => {
    const common = { negativePrompt: "text", metadata: { order: "1" } };
    const options = { ...common, aspectRatio: "1:1", image: ["https://a"] };
    expect(requestFor("video", "alpha-2.0", "a cat", options, {}).body).toEqual({
      model: "alpha-2.0",
      prompt: "a cat",
      negative_prompt: "text",
      metadata: { order: "1" },
      aspect_ratio: "1:1",
      image_url: "https://a",
    });
    const command = (line: string, ...more: string[]) => {
      let body: object | undefined;
      const create = (kind: "video" | "image") => async (prompt: string, given: CreateOptions) => {
        ({ body } = requestFor(kind, given.model ?? "", prompt, given, {}));
      };
      const actions = { video: create("video"), image: create("image") } as Actions;
      commandLine(actions).parse([...line.split(" "), ...more], { from: "user" });
      return body;
    };
    expect(
      command(
        "video --model v --resolution 1080P --no-audio --seed 7 --last-image https://b --reference style=https://c --video https://d",
        "a cat",
      ),
    ).toEqual({
      model: "v",
      prompt: "a cat",
      resolution: "1080P",
      audio: false,
      seed: 7,
      last_image_url: "https://b",
      reference_images: [{ url: "https://c", role: "style" }],
      video_url: "https://d",
    });
    expect(
      command(
        "image --model i --n 2 --seed 0 --image https://a --mask https://b --background opaque --output-format png",
        "a cat",
        "--no-prompt-extend",
      ),
    ).toEqual({
      model: "i",
      prompt: "a cat",
      seed: 0,
      n: 2,
      image_urls: ["https://a"],
      mask_url: "https://b",
      background: "opaque",
      output_format: "png",
      prompt_extend: false,
    });
  });
});

describe("a table", () => {
  it("has columns as wide as their longest cell, and none that is empty", () => {
    const rows = [
      ["a", undefined, "long"],
      ["ab", "", "c", "d"],
    ];
    expect(tableLines(rows)).toEqual(["a   long", "ab  c     d"]);
    expect(tableLines(rows, ["id", "none", "x"])[0]).toBe("id  x");
  });
});

describe("a file of several", () => {
  it("has its number in its name from the second on", () => {
    expect([0, 1, 2].map((index) => numbered("a cat.png", index))).toEqual([
      "a cat.png",
      "a cat-2.png",
      "a cat-3.png",
    ]);
    expect(numbered("cat", 1)).toBe("cat-2");
  });
});

describe("the extension of a file's name", () => {
  it("is that of the media type, or there is none", () => {
    const fits = (name: string, type: string) => hasExtensionOf(name, type);
    expect(
      fits("a.png", "image/png") && fits("a.JPG", "image/jpeg") && fits("a", "image/png"),
    ).toBe(true);
    expect(fits("a.jpg", "image/png") || fits("a.png", "video/mp4")).toBe(false);
  });
});

describe("the text of an error", () => {
  const program = commandLine({} as Actions);
  const text = (error: object, status = 400) => {
    const headers = new Headers();
    const body = { error: { type: "invalid_request_error", code: "invalid_value", ...error } };
    return errorText(new ApiError({ status, headers }, body), program);
  };

  it("names the options of the command line, each once, in place of the fields of the API", () => {
    const cases: [string, string, string][] = [
      [
        "webhook_url",
        "webhook_url: the URL must be public.",
        "--webhook-url: the URL must be public.",
      ],
      ["n", "n must be at least 1.", "--n must be at least 1."],
      [
        "image_url",
        "The model needs image_url, a public HTTPS URL.",
        "The model needs --image, a public HTTPS URL.",
      ],
      ["image_urls[1]", "image_urls[1] cannot be fetched.", "--image (no. 2) cannot be fetched."],
      ["metadata.order_id", "It is too long.", "--metadata order_id: It is too long."],
      [
        "group_by",
        "group_by must be one of day, end_user.",
        "--group-by must be one of day, end_user.",
      ],
      ["prompt", "It must not be empty.", "prompt: It must not be empty."],
      ["status", "Use a status such as 4xx.", "--status: Use a status such as 4xx."],
    ];
    for (const [param, message, expected] of cases)
      expect(text({ param, message })).toBe(`${expected}\nCode invalid_value`);
    const errors = cases.map(([param, message]) => ({ param, message, code: "invalid_value" }));
    const lines = text({ message: "first", errors })?.split("\n");
    expect(lines).toEqual([...cases.map(([, , expected]) => expected), "Code invalid_value"]);
  });

  it("ends with the code, the request and the page about it", () => {
    const request_id = "req_1";
    const doc_url = "https://media.example.com/docs/errors/gone";
    expect(text({ code: "gone", message: "It was deleted.", request_id, doc_url }, 410)).toBe(
      `It was deleted.\nCode gone, request req_1, ${doc_url}`,
    );
  });

  it("says options of the client as those of the command line", () => {
    const wrong = new ArgumentError("The option idempotencyKey of videos.create must be a text.");
    expect(errorText(wrong, program)).toBe("--idempotency-key must be a text.");
    expect(text({ message: "Check the path of baseUrl." })).toMatch("the path of --base-url.");
  });
});

describe("the help of a command", () => {
  const program = commandLine({} as Actions);

  it("has an example, the options of all commands, and no value that models refuse", () => {
    expect(program.commands).toHaveLength(17);
    for (const command of program.commands) {
      let help = "";
      const write = (text: string) => (help += text);
      command.configureOutput({ writeOut: write }).outputHelp();
      const examples = help.split(/^Examples?:\n/m)[1] ?? "";
      expect(examples).toContain(command.name());
      expect(help).toContain("--json");
      expect(help).not.toContain("1080P");
    }
  });

  it("speaks of the demo account in the repository only", () => {
    expect(helpText(true)).toContain("demo account");
    expect(helpText(false)).not.toMatch(/demo|\.data|npm start/);
  });
});

describe("the service's URL", () => {
  it("is taken from the option, else the environment, else the port", () => {
    const env = { MEDIA_BASE_URL: "https://b.example.com/v1", PORT: "9" };
    expect(baseUrlOf({ baseUrl: "https://a.example.com/v1" }, env)).toBe(
      "https://a.example.com/v1",
    );
    expect(baseUrlOf({}, env)).toBe("https://b.example.com/v1");
    expect(baseUrlOf({}, { PORT: "9" })).toBe("http://localhost:9/v1");
    const none = { DATA_DIR: "/nowhere" };
    expect(baseUrlOf({}, { ...none, PORT: "9" }, false)).toBe("http://localhost:8080/v1");
    expect(baseUrlOf({}, none)).toBe("http://localhost:8080/v1");
    expect(baseUrlOf({ baseUrl: "https://a.example.com" }, {})).toBe("https://a.example.com/v1");
    expect(() => baseUrlOf({ baseUrl: "localhost" }, {})).toThrow("--base-url is not a URL");
    expect(() => baseUrlOf({}, { MEDIA_BASE_URL: "localhost" })).toThrow(
      "MEDIA_BASE_URL is not a URL",
    );
  });
});

describe("the URL where npm start has run", () => {
  it("is its own, whose demo key is used, unless another is given", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "demo"));
    await writeFile(join(folder.path, "demo", "url"), "http://localhost:22000/v1\n");
    const env = { DATA_DIR: folder.path };
    expect(baseUrlOf({}, env)).toBe("http://localhost:22000/v1");
    expect(baseUrlOf({}, { ...env, PORT: "9" })).toBe("http://localhost:9/v1");
    const base = { ...env, MEDIA_BASE_URL: "https://b.example.com/v1" };
    expect(baseUrlOf({}, base)).toBe("https://b.example.com/v1");
  });
});

describe("a file's path", () => {
  it("is relative to the folder where npm was called, for this script only", () => {
    const env = { INIT_CWD: "/home/me", npm_lifecycle_event: "generate" };
    expect(resolveFromCaller("cat.mp4", env)).toBe("/home/me/cat.mp4");
    expect(resolveFromCaller("cat.mp4", { ...env, npm_lifecycle_event: "test" })).toBe(
      join(process.cwd(), "cat.mp4"),
    );
    expect(resolveFromCaller("/tmp/cat.mp4", env)).toBe("/tmp/cat.mp4");
  });
});

describe("the command to continue", () => {
  it("is quoted for a shell, and that of the script in this repository", () => {
    const run = { env: {}, baseUrl: "http://localhost:9/v1" };
    expect(getCommand(run, "vgen_1", "it's a cat.mp4")).toBe(
      String.raw`media-generation get vgen_1 --wait --output 'it'\''s a cat.mp4' --base-url http://localhost:9/v1`,
    );
    const env = { npm_lifecycle_event: "generate" };
    expect(getCommand({ env }, "vgen_1", undefined)).toBe(
      "npm run --silent generate -- get vgen_1 --wait",
    );
  });
});

describe("the progress display", () => {
  it("redraws a bar on a terminal, and clears it before a line", () => {
    const written: string[] = [];
    let nowMs = 0;
    const output = { isTTY: true, write: (text: string) => written.push(text) };
    const screen = screenOn(output, () => nowMs);
    nowMs = 12_000;
    screen.progress("processing", 50);
    screen.line("done");
    const bar = "█".repeat(15) + "░".repeat(15);
    expect(written).toEqual([`\r\u001B[K${bar}  50 %  processing, 12 s`, "\r\u001B[Kdone\n"]);
  });

  it("writes a line for each status and each ten percent elsewhere", () => {
    const written: string[] = [];
    const screen = screenOn({ write: (text) => written.push(text) }, () => 0);
    screen.progress("pending", 0);
    for (const percent of [0, 9, 10, 19, 25, 100]) screen.progress("processing", percent);
    expect(written.map((text) => text.trim())).toEqual([
      "pending 0 %",
      "processing 0 %",
      "processing 10 %",
      "processing 25 %",
      "processing 100 %",
    ]);
  });

  it("writes Tokens with separators, and one Token in the singular", () => {
    expect([1, 99_500n, 0].map(tokensText)).toEqual(["1 Token", "99,500 Tokens", "0 Tokens"]);
  });
});

describe("completion", () => {
  let script = "";
  const nothing = async () => {};
  const program = commandLine({
    video: nothing,
    image: nothing,
    models: nothing,
    balance: nothing,
    get: nothing,
    list: nothing,
    cancel: nothing,
    remove: nothing,
    redeliver: nothing,
    transactions: nothing,
    deliveries: nothing,
    requests: nothing,
    usage: nothing,
    upload: nothing,
    listen: nothing,
    completion: (shell) => (script = completionScript(program, shell)),
  });

  it("gives bash the commands, the options of each, and the values of an option", async () => {
    await program.parseAsync(["completion", "bash"], { from: "user" });
    const complete = (...words: string[]) => {
      const list = words.map((word) => `"${word}"`).join(" ");
      const ask = `${script}\nCOMP_WORDS=(media-generation ${list}); COMP_CWORD=${words.length}; _media_generation; echo "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim().split(" ");
    };
    expect(complete("li")).toEqual(["list", "listen"]);
    expect(complete("video", "--mo")).toEqual(["--model"]);
    expect(complete("list", "--status", "p")).toEqual(["pending", "processing"]);
    expect(complete("list", "im")).toEqual(["images"]);
    expect(complete("image", "a cat", "--model", "")).toEqual(["gamma-image-3.0-pro"]);
    expect(complete("video", "a cat", "--model", "beta-3")).toEqual(["beta-3.0-video"]);
    expect(complete("list", "--model", "alpha-2.0-")).toEqual(["alpha-2.0-fast", "alpha-2.0-mini"]);
    expect(complete("models", "ga")).toEqual(["gamma-image-3.0-pro"]);
    expect(complete("completion", "z")).toEqual(["zsh"]);
    expect(complete("help", "vi")).toEqual(["video"]);
    expect(complete("models", "--kind", "v")).toEqual(["video"]);
    expect(complete("video", "--o")).toEqual(["--output"]);
    expect(complete("usage", "--group-by", "")).toEqual(["day", "model", "key", "end_user"]);
    expect(complete("transactions", "--type", "re")).toEqual(["recharge", "reserve", "release"]);
    expect(complete("deliveries", "--status", "d")).toEqual(["delivered", "disabled"]);
    expect(complete("video", "--aspect-ratio", "")).toContain("21:9");
    expect(complete("image", "--size", "10")).toEqual(["1024x1024"]);
    expect(complete("upload", "--")).toContain("--json");
    // Bash completes the names of files itself.
    for (const words of [
      ["video", "a cat", "--image", ""],
      ["image", "a cat", "-o", ""],
      ["video", "a cat", "--end-user", "--"],
      ["balance", "--base-url", ""],
      ["upload", ""],
    ])
      expect(complete(...words)).toEqual([""]);
  });

  it("gives zsh and fish the same words", async () => {
    await program.parseAsync(["completion", "zsh"], { from: "user" });
    expect(script).toContain("compinit && bashcompinit\n");
    await program.parseAsync(["completion", "fish"], { from: "user" });
    expect(script).toContain("-n __fish_use_subcommand -f -a listen");
    expect(script).toContain('"__fish_seen_subcommand_from list" -l status -r -f -a "pending');
    expect(script).toContain(
      '"__fish_seen_subcommand_from image" -l model -r -f -a "gamma-image-3.0-pro"',
    );
  });
});
