/** Runs the samples of the guides as they are on the page, before the whole service. */
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll } from "vitest";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { newCustomer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

export type Sample = { language: string; heading: string; source: string };

const SAMPLE = /^```(sh|ts|python)[^\n]*\n(.*?)^```/gms;

/** What says how to run a sample has a placeholder for each secret. */
const isRunNote = (source: string) => /^export \w+=\w+_…$/m.test(source);

export function samplesIn(text: string): Sample[] {
  const found = [...text.matchAll(SAMPLE)].filter(([, , source = ""]) => !isRunNote(source));
  return found.map((match) => {
    const [, language = "", source = ""] = match;
    const before = text.slice(0, match.index).split("\n");
    const heading = before.findLast((line) => /^## |^(Before|After)\b.*:$/.test(line)) ?? "";
    return { language, heading: heading.replaceAll(/^## |[:,].*$/g, ""), source };
  });
}

const OWN_PACKAGES = {
  "media-generation-client": "clients/typescript/index.ts",
  "media-generation-ai-sdk": "clients/ai-sdk/index.ts",
};

function withOwnPackages(source: string): string {
  return Object.entries(OWN_PACKAGES).reduce(
    (text, [name, path]) => text.replaceAll(`"${name}"`, JSON.stringify(resolve(path))),
    source,
  );
}

const CLI = resolve("clients/typescript/cli/main.ts");

/** A refusal of the service fails the sample. The command line replaces the shell, so that a signal ends it. */
const SHELL = `curl() { command curl --fail-with-body "$@"; }
npx() { shift; exec "${process.execPath}" "${CLI}" "$@"; }`;

/** For the tests of a file: the service (empty before the first), the environment and the folder that samples run in. */
export function useGuides() {
  const service = {} as SharedService;
  const env: Record<string, string> = { ...PYTHON_ENV };
  const folder = folderForTests();
  let count = 0;

  beforeAll(async () => {
    const customer = await newCustomer(Object.assign(service, await sharedService()));
    env["MEDIA_API_KEY"] = await customer.key("test");
    env["WEBHOOK_SECRET"] = await customer.webhookSecret("test");
    await symlink(resolve("node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "garden.jpg"), makeImage("jpeg"));
  });

  /** The samples of a guide in order, with the heading or paragraph that they are below. */
  async function samplesOf(guide: string): Promise<Sample[]> {
    const page = await fetch(`${service.url}/docs/guides/${guide}.md`);
    return samplesIn(await page.text());
  }

  /** The program and arguments that run the source; packages of this project are those of the checkout. */
  async function commandOf({ language, source }: Sample): Promise<[string, string[]]> {
    if (language === "sh") return ["/bin/bash", ["-eo", "pipefail", "-c", `${SHELL}\n${source}`]];
    if (language === "python") return [PYTHON, ["-c", source]];
    const directory = join(folder, `sample-${(count += 1)}`);
    await mkdir(directory);
    const file = join(directory, "sample.ts");
    await writeFile(file, withOwnPackages(source));
    return [process.execPath, [file]];
  }

  async function outputOf(sample: Sample): Promise<string> {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    return (await promisify(execFile)(...(await commandOf(sample)), options)).stdout;
  }

  /** What samples print, those of a shell first, then the others at the same time; in Python where the machine has it. */
  async function runAll(samples: Sample[]): Promise<string[]> {
    const runnable = samples.filter(({ language }) => hasPython || language !== "python");
    const outputs = new Map<Sample, string>();
    const runOne = async (sample: Sample) => void outputs.set(sample, await outputOf(sample));
    for (const sample of runnable.filter(({ language }) => language === "sh")) await runOne(sample);
    await Promise.all(runnable.filter((sample) => !outputs.has(sample)).map(runOne));
    return runnable.map((sample) => outputs.get(sample) ?? "");
  }

  return { service, folder, env, samplesOf, commandOf, outputOf, runAll };
}
