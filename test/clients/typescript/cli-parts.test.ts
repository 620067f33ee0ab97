/** The command line's parts: tables, names of files, texts, settings and progress display. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { commandLine, type Actions } from "../../../clients/typescript/cli/commands.ts";
import { baseUrlOf, resolveFromCaller } from "../../../clients/typescript/cli/environment.ts";
import { errorText } from "../../../clients/typescript/cli/error-text.ts";
import { screenOn } from "../../../clients/typescript/cli/progress-display.ts";
import { getCommand } from "../../../clients/typescript/cli/run.ts";
import { ApiError } from "../../../clients/typescript/index.ts";
import { inMoney } from "../../../clients/typescript/money.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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
    const doc_url = "https://media.example.com/docs/errors#gone";
    expect(text({ code: "gone", message: "It was deleted.", request_id, doc_url }, 410)).toBe(
      `It was deleted.\nCode gone, request req_1, ${doc_url}`,
    );
  });
});

describe("the help of a command", () => {
  const program = commandLine({} as Actions);

  it("has an example, the options of all commands, and no value that models refuse", () => {
    expect(program.commands).toHaveLength(12);
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
    const env = { INIT_CWD: "/home/me", npm_lifecycle_event: "media-generation" };
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
    const env = { npm_lifecycle_event: "media-generation" };
    expect(getCommand({ env }, "vgen_1", undefined)).toBe(
      "npm run --silent media-generation -- get vgen_1 --wait",
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
});

it.each([
  [1_200, "0.01", "USD", "12.00 USD"],
  [0, "0.01", "USD", "0.00 USD"],
  [3, "0.335", "USD", "1.01 USD"],
  // More than a float holds exactly.
  [9_007_199_254_740_993n, "0.01", "EUR", "90,071,992,547,409.93 EUR"],
  [500, "1.5", "JPY", "750 JPY"],
  [1, "0.0125", "BHD", "0.013 BHD"],
  [123, "0.000123", "USD", "0.015 USD"],
  [7, "2", "CHF", "14.00 CHF"],
])("%s Tokens at %s %s are %j", (tokens, amount, currency, text) => {
  expect(inMoney(tokens, { amount, currency })).toBe(text);
});

it("the command line whose output nobody reads ends without an error, as head and the like expect", async () => {
  const args = ["clients/typescript/cli/main.ts", "--help"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
  expect({ said, code: code as number }).toEqual({ said: "", code: 0 });
});
