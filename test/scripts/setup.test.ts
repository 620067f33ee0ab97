/** The set-up scripts in a fresh checkout: install, lock, and running a program with the project's Node. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderForTests } from "../support/temporary-folder.ts";

const SCRIPTS = fileURLToPath(new URL("../../scripts", import.meta.url));
/** The package that has Node for this machine. */
const NODE = `node-${process.platform}-${process.arch}`;

type Result = { code: number; stdout: string; stderr: string };

describe("the set-up of a fresh checkout", () => {
  const root = folderForTests();

  beforeAll(async () => {
    await cp(SCRIPTS, join(root, "scripts"), { recursive: true });
    await mkdir(join(root, "vendored-node/bin"), { recursive: true });
    await symlink(process.execPath, join(root, "vendored-node/bin/node"));
    await writeFile(
      join(root, "vendored-node/package.json"),
      JSON.stringify({ name: NODE, version: "1.0.0", bin: { node: "bin/node" } }),
    );
    await writeFile(join(root, "nats-server"), "#!/bin/sh\n", { mode: 0o755 });
    await writeFile(join(root, "package.json"), packageJson("file:vendored-node"));
    await writeFile(join(root, "package-lock.json"), lockJson());
    await writeFile(join(root, "echo.ts"), ECHO);
  });

  const RUN = join(root, "scripts/run");
  const started = (args: string[], more: NodeJS.ProcessEnv = {}) =>
    run(RUN, args, { ...process.env, NATS_SERVER: join(root, "nats-server"), ...more });
  const echo = join(root, "echo.ts");

  it("installs once, also where two start at once, and leaves standard output to the program", async () => {
    const start = () => started([echo, "one", "--two"]);
    const both = await Promise.all([start(), start()]);
    for (const each of both) expect(each).toMatchObject({ code: 7, stdout: "one --two\n" });
    expect(both.filter(({ stderr }) => stderr.includes("Installing dependencies"))).toHaveLength(1);

    const warm = await started([echo]);
    expect(warm).toEqual({ code: 7, stdout: "\n", stderr: "" });
  });

  it("fails with one reason when there is no NATS server", async () => {
    const failed = await started([echo], { NATS_SERVER: "/nonexistent" });
    expect(failed).toEqual({
      code: 1,
      stdout: "",
      stderr: "NATS_SERVER names /nonexistent, which is not a program.\n",
    });
  });

  it("is replaced by the program that it runs, which gets its signals", async () => {
    const env = { ...process.env, NATS_SERVER: join(root, "nats-server") };
    const child = spawn(RUN, [echo, "wait"], { env, stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (rest += text));
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number];
    expect({ code, rest }).toEqual({ code: 9, rest: "ended well\n" });
  });

  // The last one, because it takes away what the others need.
  it("installs again when the lockfile has changed, and reports npm's error when that fails", async () => {
    await writeFile(join(root, "package.json"), packageJson("unknown:thing"));
    await writeFile(join(root, "package-lock.json"), `${lockJson()}\n`);
    const failed = await started([echo], { npm_config_loglevel: "silent" });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(
      /^Installing dependencies[^]*could not be installed: npm ci failed\.\nnpm error/,
    );
  });
});

const ECHO = `
const words: string[] = process.argv.slice(2);
process.exitCode = 7;
if (words[0] === "wait") {
  const timer = setInterval(() => {}, 60_000);
  process.once("SIGTERM", () => {
    process.stdout.write("ended well\\n");
    process.exitCode = 9;
    clearInterval(timer);
  });
}
process.stdout.write(words.join(" ") + "\\n");
`;

function packageJson(node: string): string {
  return JSON.stringify({ name: "fresh", version: "1.0.0", dependencies: { [NODE]: node } });
}

function lockJson(): string {
  const packages = {
    "": { name: "fresh", version: "1.0.0", dependencies: { [NODE]: "file:vendored-node" } },
    [`node_modules/${NODE}`]: { resolved: "vendored-node", link: true },
    "vendored-node": { name: NODE, version: "1.0.0", bin: { node: "bin/node" } },
  };
  return JSON.stringify({ name: "fresh", version: "1.0.0", lockfileVersion: 3, packages });
}

function run(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<Result> {
  return new Promise((resolve) => {
    execFile(file, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
