/** How a prompt is set as a caption. */
import { describe, expect, it } from "vitest";
import { wrapLines } from "../../services/simulator/scene/spec.ts";
import { glyphOf } from "../../services/simulator/scene/caption.ts";

describe("a caption", () => {
  it("breaks between words and fits its columns", () => {
    expect(wrapLines("a quiet lake at dawn", 12, 2)).toEqual(["a quiet lake", "at dawn"]);
  });

  it("ends in an ellipsis where the prompt is longer than its room", () => {
    expect(wrapLines("one two three four five six", 8, 2)).toEqual(["one two", "three..."]);
    expect(wrapLines("incomprehensibilities", 10, 2)).toEqual(["incompr..."]);
  });

  it("stays within its room for any prompt", () => {
    for (const prompt of ["", " ", "\u{1f98a}".repeat(400), "x ".repeat(2500), "é\n\tü"]) {
      const lines = wrapLines(prompt, 9, 2);
      expect(lines.length).toBeLessThanOrEqual(2);
      expect(lines.every((line) => line.length <= 9)).toBe(true);
    }
  });

  it("drops accents and shows every other character as a box", () => {
    expect(wrapLines("café", 9, 2)).toEqual(["cafe"]);
    expect(glyphOf("\x7f")).toEqual([0x7f, 0x41, 0x41, 0x41, 0x7f]);
    expect(glyphOf("A")).not.toEqual(glyphOf("\x7f"));
    expect(glyphOf("~")).not.toEqual(glyphOf("\x7f"));
  });
});
