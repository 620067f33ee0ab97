/** Logs: what they leave out, and that no line is lost when a process ends. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { runToEnd } from "../support/process.ts";

describe("a log line", () => {
  const lineOf = (fields: object) => {
    let line = "";
    createLog("test", "info", { write: (text) => void (line = text) }).info(fields, "said");
    return { text: line, fields: JSON.parse(line) as Record<string, unknown> };
  };

  it("has no secret and no prompt, at any of three levels, in lists and in errors", () => {
    const error = Object.assign(new Error("refused"), { request: { token: "s3cret" } });
    const { text, fields } = lineOf({
      prompt: "s3cret",
      headers: { authorization: "s3cret", accept: "json" },
      job: { input: { negative_prompt: "s3cret", duration: 5 } },
      keys: [{ secret: "s3cret" }],
      err: Object.assign(error, { password: "s3cret" }),
    });
    expect(text).not.toContain("s3cret");
    expect(fields).toMatchObject({
      service: "test",
      msg: "said",
      prompt: "[redacted]",
      headers: { authorization: "[redacted]", accept: "json" },
      job: { input: { negative_prompt: "[redacted]", duration: 5 } },
      err: { type: "Error", message: "refused" },
    });
  });

  it("leaves what is logged as it is", () => {
    const fields = { headers: { cookie: "a=b" } };
    lineOf(fields);
    expect(fields).toEqual({ headers: { cookie: "a=b" } });
  });
});

describe("a process that ends", () => {
  it.each(["its last line", "process.exit", "an exception"])("has written all: %s", async (end) => {
    const folder = await mkdtemp(join(tmpdir(), "media-log-"));
    const file = join(folder, "service.log");
    await runToEnd("test/runtime/logging-process.ts", {}, [file, end]);
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    await rm(folder, { recursive: true });
    expect(lines.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index),
    );
  });
});
