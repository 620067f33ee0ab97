/** The samples of the clients' READMEs, as they are on the page, before the whole service. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { signedHeaders, signingKey } from "../../services/delivery/domain/signature.ts";
import { newCustomer } from "../support/customer.ts";
import { newSecret } from "../support/receiver.ts";
import { sharedService } from "../support/shared-service.ts";
import { folderForTests } from "../support/temporary-folder.ts";
import { hasPython, outputOfPython } from "./python/python.ts";

const run = promisify(execFile);
const folder = folderForTests();

/** In the language; the package of this project is that of the checkout. */
async function samplesOf(client: string, language: string): Promise<string[]> {
  const readme = await readFile(`clients/${client}/README.md`, "utf8");
  const samples = readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  const entry = JSON.stringify(resolve(`clients/${client}/index.ts`));
  return [...samples].map(([, text = ""]) => text.replaceAll('"media-generation-client"', entry));
}

async function environment() {
  const service = await sharedService();
  const key = await (await newCustomer(service)).key("test");
  return { MEDIA_API_KEY: key, MEDIA_BASE_URL: `${service.url}/v1` };
}

it("of TypeScript make images and videos", async () => {
  const samples = await samplesOf("typescript", "ts");
  expect(samples).toHaveLength(5);
  for (const [at, sample] of samples.entries()) await writeFile(join(folder, `${at}.ts`), sample);
  const file = join(folder, "all.ts");
  await writeFile(file, samples.map((_sample, at) => `await import("./${at}.ts");\n`).join(""));
  const options = { cwd: folder, env: { ...process.env, ...(await environment()) } };
  const { stdout, stderr } = await run(process.execPath, [file], options);
  expect(stdout).toMatch(/^success 100 %\n(?:\w+ -?\d+\n)+$/m);
  expect(stderr).toBe("");
  for (const name of ["cat.mp4", "later.mp4"])
    expect((await readFile(join(folder, name))).toString("latin1", 4, 8)).toBe("ftyp");
});

/** Serves as the sample does, an event and then another body. */
const RECEIVED = `
import threading, urllib.request, urllib.error
server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
for body in (os.environ["BODY"], "{}"):
    request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}", body.encode(), json.loads(os.environ["HEADERS"]))
    try: print(urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as error: print(error.code)
`;

it.skipIf(!hasPython)("of Python do what they say (needs python3)", async () => {
  const secret = newSecret();
  const BODY = JSON.stringify({ type: "webhook.test" });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signable = { id: "evt_1", timestampSeconds, body: Buffer.from(BODY) };
  const HEADERS = JSON.stringify(signedHeaders([signingKey(secret)], signable));
  const env = { ...(await environment()), WEBHOOK_SECRET: secret, BODY, HEADERS };
  const samples = await samplesOf("python", "python");
  const outputs = samples.map((sample) => {
    const [server, main] = sample.split("if __name__");
    const program = main === undefined ? sample : `${server}\nimport json${RECEIVED}`;
    return outputOfPython(program, env, { cwd: folder });
  });
  expect(await Promise.all(outputs)).toEqual(
    [
      /^success 100 %$/m,
      /^$/,
      /^\w+ -?\d+$/m,
      /^$/,
      /^webhook\.test evt_1\n204\n400\n$/,
      /^(vgen_\w+\n)+$/,
    ].map((says) => expect.stringMatching(says) as string),
  );
});
