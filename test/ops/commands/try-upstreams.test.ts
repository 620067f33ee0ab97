/** `ops upstream try` says what a request asks for, sends it only when it is told to, and keeps what came back. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { ops } from "./run-command.ts";

const UPSTREAMS = [
  { upstream: "works", upstreamModel: "seedance", state: "open", ok: true },
  { upstream: "off", upstreamModel: "veo", state: "disabled", ok: true },
  { upstream: "keyless", upstreamModel: "wan", state: "without_key" },
  { upstream: "simulator", upstreamModel: "", state: "open", ok: true },
];
const COMMON = { asksFor: "a video of 5 s, 1280x720", tokens: 210n };

async function tried(options = "") {
  const sent: string[] = [];
  await using folder = await temporaryFolder();
  const keep = join(folder.path, "tries");
  const { code, stdout, stderr } = await ops(`upstream try --keep ${keep}${options}`, {
    generation: {
      checkUpstreams: () => ({ upstreams: UPSTREAMS }),
      tryUpstream: ({ upstream, send, job }) => {
        if (!send && job === "") return { ...COMMON, outcome: "planned" };
        sent.push(`${upstream} ${job}`.trim());
        const exchangeJson = JSON.stringify([{ method: job === "" ? "POST" : "GET" }]);
        if (job === "")
          return { ...COMMON, outcome: "running", job: "job-1", askAgainMs: 1, exchangeJson };
        const resultUrls = ["https://files.test/1.mp4"];
        return { ...COMMON, outcome: "succeeded", meaning: "It works.", resultUrls, exchangeJson };
      },
    },
  });
  const files = await readdir(keep).catch(() => []);
  const kept = await Promise.all(files.map((file) => readFile(join(keep, file), "utf8")));
  return { code, stdout, stderr, sent, kept };
}

it("asks before it costs money, and sends nothing where nobody can answer", async () => {
  const { code, stderr, sent, kept } = await tried();
  expect([code, sent, kept]).toEqual([1, [], []]);
  expect(stderr).toContain("works (seedance): a video of 5 s, 1280x720 (clients pay 210 Tokens)");
  expect(stderr).toContain("The vendors charge the accounts");
  expect(stderr).toContain("--yes");
});

it("tries each enabled upstream with a key to its end, and keeps the exchange", async () => {
  const { code, stdout, sent, kept } = await tried(" --yes");
  expect([code, sent]).toEqual([0, ["works", "works job-1"]]);
  expect(stdout).toContain("It works.");
  expect(stdout).toContain("https://files.test/1.mp4");
  expect(kept.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { upstream: "works", outcome: "succeeded", exchanges: [{ method: "POST" }, { method: "GET" }] },
  ]);
});

it("tries the one that is named", async () => {
  expect((await tried(" --yes --upstream unheard-of")).sent).toEqual([]);
});
