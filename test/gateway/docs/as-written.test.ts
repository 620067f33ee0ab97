/** What the documentation says of running a sample, tried before the whole service. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { PYTHON } from "../../clients/python/python.ts";
import { newCustomer } from "../../support/customer.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let service: SharedService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await (await newCustomer(service)).key("test");
});

const pageOf = async (path: string) => (await fetch(`${service.url}/docs/${path}.md`)).text();

/** The first block of the page with this label that has the text. */
function blockOf(page: string, label: string, text: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`\\w+ ${label}\\n(.*?)^\`\`\``, "gms"))];
  return blocks.find(([, source = ""]) => source.includes(text))?.[1] ?? "";
}

/** What is installed comes from this service alone. */
const OFFLINE = { npm_config_audit: "false", npm_config_fund: "false", PIP_NO_INDEX: "1" };

async function shellIn(cwd: string, commands: string): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${dirname(PYTHON)}:${process.env["PATH"]}`;
  const env = { ...process.env, ...OFFLINE, PATH, MEDIA_API_KEY: "" };
  const run = promisify(execFile)("/bin/bash", ["-ec", commands], { cwd, env });
  return (await run).stdout;
}

// guides.test.ts runs the other samples in a folder that is not empty.
it("the quickstart in TypeScript does in an empty folder what its page says", async () => {
  const page = await pageOf("guides/quickstart");
  const note = blockOf(page, "TypeScript", "export MEDIA_API_KEY=");
  const [saved] = /(?<=^# Save the sample as )\S+(?=\. Then, in its folder:$)/m.exec(note) ?? [];
  expect(saved).toBe("sample.mts");
  await using folder = await temporaryFolder();
  const sample = blockOf(page, "TypeScript", "beta-3.0-video");
  await writeFile(join(folder.path, "sample.mts"), sample);
  const output = await shellIn(folder.path, note.replace("mgs_test_…", key));
  expect(output).toMatch(/^http\S+\.mp4\n$/m);
});

it("the command that forwards webhooks runs in an empty folder, with the package of this service", async () => {
  const page = await pageOf("guides/webhook-receivers");
  const [, block = ""] = /^```sh\n(export MEDIA_BASE_URL.*?)^```/ms.exec(page) ?? [];
  expect(block).toMatch(/listen --forward-to localhost:3000\/webhooks$/m);
  const commands = block
    .replace("mgs_test_…", key)
    .replace("--forward-to localhost:3000/webhooks", "--print-secret");
  await using folder = await temporaryFolder();
  expect(await shellIn(folder.path, commands)).toMatch(/^whsec_/);
});
