/** All that a release consists of has one version. */
import { readFile } from "node:fs/promises";
import manifest from "../../package.json" with { type: "json" };

it.each<[file: string, pattern: RegExp]>([
  ["package-lock.json", /^\{\n {2}"name".*\n {2}"version": "(.*)"/g],
  ["package-lock.json", /^ {4}"": \{\n.*\n {6}"version": "(.*)"/gm],
  ["clients/typescript/package.json", /"version": "(.*)"/g],
  ["clients/ai-sdk/package.json", /"version": "(.*)"/g],
  ["clients/python/media_generation_client/version.py", /__version__ = "(.*)"/g],
  ["deploy/helm/Chart.yaml", /^version: (.*)$/gm],
  ["deploy/helm/Chart.yaml", /^appVersion: (.*)$/gm],
  ["deploy/helm/values.yaml", /^ {2}tag: (.*)$/gm],
  ["README.md", /media-generation-client-(.*?)\.tgz/g],
  ["clients/typescript/README.md", /media-generation-client-(.*?)\.tgz/g],
  ["clients/ai-sdk/README.md", /media-generation-(?:client|ai-sdk)-(.*?)\.tgz/g],
  ["clients/python/README.md", /media_generation_client-(.*?)-py3/g],
])("%s has that of the service (%s)", async (file, pattern) => {
  const found = (await readFile(file, "utf8")).matchAll(pattern);
  const versions = new Set(Array.from(found, ([, version]) => version));
  expect([...versions]).toEqual([manifest.version]);
});
