/** What an editor shows of the client's types: the documentation of fields, and why a request does not compile. */
import { resolve } from "node:path";
import ts from "typescript";
import { beforeAll, expect, it } from "vitest";

const FILE = resolve("clients/typescript/written.ts");
const SOURCE = `
import { createClient, type VideoRequest } from "./index.ts";
const client = createClient();
client.videos.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
client.images.create({ model: "alpha-2.0", prompt: "a cat" });
client.videos.create({ model: "alpha-2.0", prompt: "a cat", duration: 5 });
const request: VideoRequest = { model: "alpha-2.0", prompt: "a cat", duration: 5 };
client.videos.create(request).then((video) => video.credits);
`;

let service: ts.LanguageService;
beforeAll(() => {
  const { config } = ts.readConfigFile("tsconfig.json", (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
  service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noEmit: true, types: ["node"] }),
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const text = file === FILE ? SOURCE : ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => resolve("."),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (file) => file === FILE || ts.sys.fileExists(file),
    readFile: (file) => (file === FILE ? SOURCE : ts.sys.readFile(file)),
  });
});

const shownAt = (text: string) => {
  const info = service.getQuickInfoAtPosition(FILE, SOURCE.indexOf(text));
  return {
    text: ts.displayPartsToString(info?.documentation),
    tags: info?.tags?.map(({ name }) => name) ?? [],
  };
};

it("shows the documentation of fields as text, without tags and names of formats", () => {
  expect(shownAt("duration")).toEqual({
    text: expect.stringMatching(/^Seconds\. /) as string,
    tags: ["example"],
  });
  expect(shownAt("credits")).toEqual({
    text: expect.stringMatching(/^Tokens reserved or charged /) as string,
    tags: [],
  });
});

it("says of a model of the other kind what it makes, and which call to use", () => {
  const faults = service
    .getSemanticDiagnostics(FILE)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  expect(faults).toEqual([
    expect.stringContaining('Refused<"This model makes images: call images.create.">'),
    expect.stringContaining('Refused<"This model makes videos: call videos.create.">'),
  ]);
});
