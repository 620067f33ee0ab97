/** What the documents name exists: files, and headings that links lead to. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const files = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 2 ** 26 })
  .split("\n")
  .filter((path) => existsSync(path));
const pages = [...globSync("*.md"), ...globSync("{docs,services,clients,deploy}/**/*.md")].filter(
  (path) =>
    files.includes(path) && !/^(THIRD_PARTY|CHANGELOG)\.md$|^services\/gateway\/docs\//.test(path),
);

const EXTENSION = "(?:ts|tsx|mjs|py|sql|proto|yaml|json|css|md)";
const SPAN = /`([^`\n]+)`/g;
const PATH = new RegExp(
  String.raw`^\w[\w./-]*\/[\w.-]+\.${EXTENSION}$|^[a-z][\w-]*(?:-\w+)*\.(?:tsx?|sql|mjs)$`,
);

const spansOf = (page: string) =>
  [...withoutBlocks(page).matchAll(SPAN)].map(([, text = ""]) => text);

function withoutBlocks(page: string): string {
  return readFileSync(page, "utf8").replaceAll(/^ *```[^]*?^ *```$/gm, "");
}

describe.each(pages)("%s", (page) => {
  it("names files that exist", () => {
    const isThere = (path: string) =>
      files.some((file) => file === path || file.endsWith(`/${path}`)) || existsSync(path);
    expect(spansOf(page).filter((text) => PATH.test(text) && !isThere(text))).toEqual([]);
  });

  it("links to pages and headings that exist", () => {
    const links = [
      ...withoutBlocks(page).matchAll(/\]\((?!https?:|mailto:|\/)([^)\s#]*)(?:#([^)\s]*))?\)/g),
    ];
    const wrong = links.filter(([, path = "", heading]) => {
      const target = path === "" ? page : join(dirname(page), path);
      return (
        !existsSync(target) || (heading !== undefined && !headingsOf(target).includes(heading))
      );
    });
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});

function headingsOf(page: string): string[] {
  return [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
