/** Says below a sample how to run it: what to install, the name of its file, and the command. All of it follows from the sample. */
import type { PackageUrls } from "./packages.ts";

/** Fences with a label, which follow each other: one sample in several languages. */
const SAMPLE = /(?:^```\w+ (?:curl|TypeScript|Python)\n.*?^```\n+)+/gms;
const FENCE = /^```\w+ (\w+)\n(.*?)^```/gms;

/** What is shown in place of a secret, by the variable that has it. */
const VALUES: Readonly<Record<string, string>> = {
  MEDIA_API_KEY: "mgs_test_…",
  WEBHOOK_SECRET: "whsec_…",
};

const INTRODUCTION =
  "To run it, with an [API key](/docs/guides/api-keys) in place of `mgs_test_…`:";
const OF_RECEIVERS = "To run it:";

/** The Markdown with a note after each sample of ours that is run in another way than those before it. */
export function withRunNotes(source: string, packages: PackageUrls): string {
  const known = new Set<string>();
  const noted = `${source}\n`.replaceAll(SAMPLE, (sample) => {
    if (variables(sample).length === 0) return sample;
    const fences = runFences(sample, packages);
    if (fences.every((fence) => known.has(fence))) return sample;
    for (const fence of fences) known.add(fence);
    const introduction = sample.includes("WEBHOOK_SECRET") ? OF_RECEIVERS : INTRODUCTION;
    return `${[sample.trimEnd(), introduction, ...fences].join("\n\n")}\n\n`;
  });
  return `${noted.trimEnd()}\n`;
}

function runFences(sample: string, packages: PackageUrls): string[] {
  return [...sample.matchAll(FENCE)].map(([, label = "", code = ""]) => {
    const lines = LANGUAGES[label]?.(code, packages) ?? [];
    return `\`\`\`sh ${label}\n${lines.join("\n")}\n\`\`\``;
  });
}

type Lines = (code: string, packages: PackageUrls) => string[];

const LANGUAGES: Readonly<Record<string, Lines>> = {
  curl: (code) => [...variables(code), "# Then paste the sample into this shell: bash or zsh."],
  TypeScript: (code, packages) => [
    "# Save the sample as sample.mts. Then, in its folder:",
    `npm install ${installed(npmPackages(code), packages)}`,
    ...variables(code),
    "node sample.mts   # before Node 22.18: npx tsx sample.mts",
  ],
  Python: (code, packages) => [
    "# Save the sample as sample.py. Then, in its folder:",
    "python3 -m venv .venv && . .venv/bin/activate",
    ...(pipPackages(code).length > 0
      ? [`pip install ${installed(pipPackages(code), packages)}`]
      : []),
    ...variables(code),
    "python sample.py",
  ],
};

/** Those that are no part of Node, as they are imported. */
function npmPackages(code: string): string[] {
  return [...code.matchAll(/ from "(?!node:)([^"]+)"/g)].map(([, name = ""]) => name);
}

/** Packages that are no part of Python and that samples import. */
const PIP_PACKAGES = ["media_generation_client", "openai"];

function pipPackages(code: string): string[] {
  return PIP_PACKAGES.filter((name) => new RegExp(`^(?:import|from) ${name}\\b`, "m").test(code));
}

/** What is installed for each package that this service offers itself; all others have their own names. */
function installed(names: readonly string[], packages: PackageUrls): string {
  const own: Readonly<Record<string, string>> = {
    "media-generation-client": packages.typescriptPackage,
    // The major that the provider is for: for an older Node npm chooses an older one.
    ai: "ai@7",
    "media-generation-ai-sdk": packages.aiSdkPackage,
    media_generation_client: packages.pythonPackage,
  };
  return names.map((name) => own[name] ?? name).join(" ");
}

/** Sets what the sample reads of its environment; our clients read the key by themselves. */
function variables(code: string): string[] {
  return Object.entries(VALUES)
    .filter(([name]) => code.includes(name))
    .map(([name, value]) => `export ${name}=${value}`);
}
