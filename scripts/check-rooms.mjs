/** Fails on an import against the order of folders below, type imports included, and on any circle between folders. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import typescript from "typescript";

const SERVICE = ["gen", "services/runtime", "services/vocabulary"];

/**
 * Each part with the other parts that it may `use`, and its folders from the bottom up: a folder imports only folders that
 * are before it in the list. "." is the part's own folder; a folder has those in it unless they are listed themselves.
 */
const PARTS = {
  gen: { use: [], folders: ["openapi", "proto"] },
  scripts: { use: [], folders: ["."] },
  "services/runtime": {
    use: ["gen"],
    folders: [
      ".",
      "tracing",
      "postgres",
      "metrics",
      "rpc",
      "events",
      "rpc/client",
      "rpc/server",
      "service",
    ],
  },
  "services/vocabulary": { use: ["gen", "services/runtime"], folders: ["."] },
  "services/gateway": {
    use: [...SERVICE, "clients/samples", "clients/typescript"],
    folders: [
      "domain",
      "store",
      "accounts/mail",
      "accounts",
      "edge/validation",
      "edge/http",
      "edge/presenters",
      "edge/rate-limit",
      "edge/waiting",
      "edge/operations",
      "edge/openai",
      "edge/mcp",
      "edge",
      "docs",
      "dashboard/session",
      "dashboard/money",
      "dashboard/members",
      "dashboard/generations",
      "dashboard/sign-in",
      "dashboard",
      "rpc",
      ".",
    ],
  },
  "services/generation": {
    use: SERVICE,
    folders: [
      "domain",
      "store",
      "providers",
      "upstreams",
      "metrics",
      "catalog",
      "holds",
      "rpc",
      "worker/steps",
      "worker",
      ".",
    ],
  },
  "services/billing": { use: SERVICE, folders: ["domain", "store", "rpc", "."] },
  "services/delivery": {
    use: SERVICE,
    folders: [
      "domain",
      "store",
      "egress",
      "media",
      "storage",
      "asset-server",
      "metrics",
      "download",
      "copy",
      "webhook",
      "maintenance",
      "rpc",
      ".",
    ],
  },
  "services/simulator": { use: SERVICE, folders: ["scene", "render", "."] },
  "services/ops": { use: SERVICE, folders: ["setup", "status", "session", "commands", "."] },
  "services/standalone": {
    use: [
      ...SERVICE,
      "services/gateway",
      "services/generation",
      "services/billing",
      "services/delivery",
      "services/simulator",
      "services/ops",
      "scripts",
    ],
    folders: ["settings", "data-folder", "embedded", "processes", "."],
  },
  "clients/samples": { use: [], folders: ["."] },
  "clients/typescript": { use: ["gen"], folders: ["http", "operations", ".", "cli"] },
  "clients/ai-sdk": { use: ["clients/typescript"], folders: ["."] },
  "clients/dashboard": { use: [], folders: ["."] },
  "clients/dashboard/src": {
    use: ["gen", "clients/samples", "clients/typescript"],
    folders: [
      "api",
      "data",
      "components/form",
      "components",
      "session",
      "faults",
      "layout",
      "pages",
      ".",
    ],
  },
};

/** What folders of any service never import of it: rpc/ and worker/ call, store/ and providers/ are called. */
const NEVER = {
  rpc: ["worker"],
  worker: ["rpc"],
  store: ["rpc", "worker"],
  providers: ["rpc", "worker"],
};

/** All that domain/ imports besides its own files: it is pure. */
const PURE = [
  /^gen\//,
  /^services\/vocabulary\//,
  /^services\/runtime\/(clock|did-you-mean|id|retry-after)\.ts$/,
  /^@bufbuild\/protobuf(\/wkt)?$/,
  /^node:(crypto|util|zlib)$/,
];

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 2 ** 26 })
  .split("\n")
  .filter((path) => /\.(ts|tsx|mts|mjs)$/.test(path));
const files = new Set(tracked);
const aliases = Object.entries(JSON.parse(readFileSync("package.json", "utf8")).imports ?? {});
const faults = [];
/** The first import from one folder to another, by both. */
const arrows = new Map();

for (const from of tracked.filter((path) => /^(gen|scripts|services|clients)\//.test(path))) {
  if (partOf(from) === undefined) {
    faults.push(`${from}: its folder is in no part. Name it in scripts/check-rooms.mjs.`);
    continue;
  }
  const source = typescript.preProcessFile(readFileSync(from, "utf8"), true, true);
  for (const { fileName } of source.importedFiles) {
    const to = targetOf(from, fileName);
    const fault = faultOf(from, to);
    if (fault) faults.push(`${from} imports ${to}: ${fault}`);
    else if (isChecked(from, to)) noteArrow(from, to);
  }
}
faults.push(...circles());
process.stdout.write(faults.map((fault) => `${fault}\n`).join(""));
if (faults.length > 0) process.exitCode = 1;

/** The path of the imported file from the root, or the name of a package. */
function targetOf(from, specifier) {
  if (specifier.startsWith(".")) return posix.join(dirname(from), specifier);
  for (const [alias, path] of aliases) {
    const prefix = alias.slice(0, -1);
    if (specifier.startsWith(prefix))
      return posix.join(path.slice(0, -1), specifier.slice(prefix.length));
  }
  return specifier;
}

/** Why the import is not allowed; undefined if it is. */
function faultOf(from, to) {
  const part = partOf(from);
  const folder = dirname(from).slice(part.length + 1);
  const [top] = folder.split("/");
  if (top === "domain" && !to.startsWith(`${part}/domain/`) && !PURE.some((each) => each.test(to)))
    return "domain/ is pure: it imports its own files, gen/ and what PURE lists.";
  if (!files.has(to)) return undefined;
  const other = partOf(to);
  if (other === undefined) return `${part} may not use files outside the parts.`;
  if (other !== part)
    return PARTS[part].use.includes(other) ? undefined : `${part} may not use ${other}.`;
  const [otherTop] = dirname(to)
    .slice(part.length + 1)
    .split("/");
  if (part.startsWith("services/") && NEVER[top]?.includes(otherTop))
    return `${top}/ never imports ${otherTop}/.`;
  const { folders = ["."] } = PARTS[part];
  const [mine, its] = [from, to].map((path) => folderOf(path, part));
  if (mine === undefined) return `${dirname(from)} is not in the list of ${part}.`;
  if (its === undefined || folders.indexOf(its) > folders.indexOf(mine))
    return `${mine} comes before ${its ?? dirname(to)} in the order of ${part}.`;
  return undefined;
}

function partOf(path) {
  return longest(Object.keys(PARTS), path);
}

/** The listed folder of a file, which may lie in a folder of it. */
function folderOf(path, part) {
  if (dirname(path) === part) return ".";
  return longest(PARTS[part].folders, path.slice(part.length + 1));
}

function longest(folders, path) {
  const around = folders.filter((folder) => path.startsWith(`${folder}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

function isChecked(from, to) {
  if (!files.has(to) || dirname(from) === dirname(to)) return false;
  return partOf(from) !== partOf(to) || PARTS[partOf(from)].folders !== undefined;
}

function noteArrow(from, to) {
  const targets = arrows.get(dirname(from)) ?? new Map();
  arrows.set(dirname(from), targets);
  if (!targets.has(dirname(to))) targets.set(dirname(to), `${from} imports ${to}`);
}

/** The imports of each circle between folders. */
function circles() {
  const found = [];
  const done = new Set();
  const visit = (folder, path) => {
    const start = path.indexOf(folder);
    if (start !== -1) {
      const circle = [...path.slice(start), folder];
      const imports = circle.slice(1).map((next, index) => arrows.get(circle[index]).get(next));
      found.push(`A circle between folders:\n  ${imports.join("\n  ")}`);
      return;
    }
    if (done.has(folder)) return;
    for (const next of arrows.get(folder)?.keys() ?? []) visit(next, [...path, folder]);
    done.add(folder);
  };
  for (const folder of arrows.keys()) visit(folder, []);
  return found;
}
