/** What npm start prints, when, what it says to arguments, and whom its status page answers. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import type { PeerUrls } from "#runtime/service/service.ts";
import type { StandaloneConfig } from "../../services/standalone/settings/config.ts";
import { untilReady, type Standalone } from "../../services/standalone/start.ts";
import { openStatusPage } from "../../services/standalone/status-page.ts";
import { welcome } from "../../services/standalone/welcome.ts";
import { runToEnd } from "../support/process.ts";

const printed = (dataDir: string) =>
  welcome(
    {
      url: "http://localhost:8080",
      statusUrl: "http://localhost:8090",
      demo: {
        accountId: "acct_1",
        email: "demo@example.com",
        liveKeyFile: `${dataDir}/demo/live-key`,
        testKeyFile: `${dataDir}/demo/test-key`,
        passwordFile: `${dataDir}/demo/password`,
      },
      logFile: `${dataDir}/log`,
    } as Standalone,
    { dataDir, generation: { liveProvider: "simulator", upstreams: {} } } as StandaloneConfig,
  );

it("names files below the project's folder as README.md does, and others by their whole paths", () => {
  expect(printed(resolve(".data"))).toContain("cat .data/demo/test-key");
  const elsewhere = printed("/srv/media");
  expect(elsewhere).toContain("cat /srv/media/demo/test-key");
  expect(elsewhere).not.toContain("../");
  expect(elsewhere).toContain("http://localhost:8080/docs");
});

it("says so when /readyz does, and has no addresses that only programs need", async () => {
  const answers = [503, 503, 200];
  const get = async () => new Response(null, { status: answers.shift() ?? 500 });
  await untilReady("http://localhost/readyz", { clock: { sleep: async () => {} }, get });
  expect(answers).toEqual([]);
  expect(printed(resolve(".data"))).not.toMatch(/RPC|127\.0\.0\.1/);
});

it("answers --help in a few lines, and starts nothing", async () => {
  const { code, output } = await runToEnd("services/standalone/main.ts", {}, ["--help"]);
  expect([code, output.split("\n").length < 12]).toEqual([0, true]);
  expect(output).toContain("docs/variables.md");
});

it("refuses an argument that it does not know in one line, and starts nothing", async () => {
  const args = ["--port", "22005"];
  expect(await runToEnd("services/standalone/main.ts", {}, args)).toEqual({
    code: 1,
    output:
      "npm start has no argument --port: its settings are variables, such as PORT=22000 npm start. npm start -- --help names them.\n",
  });
});

/** Where nothing listens. */
const NOWHERE: PeerUrls = ["http://127.0.0.1:9"];
const rpcUrls = { gateway: NOWHERE, billing: NOWHERE, generation: NOWHERE, delivery: NOWHERE };

it.each([
  ["localhost", 200],
  ["127.0.0.1:1234", 200],
  ["media.example", 404],
  ["localhost.media.example", 404],
  ["127.0.0.1:80@media.example", 404],
])(
  "a page of a stranger whose name leads to this machine gets nothing: %s is %i",
  async (host, status) => {
    await using page = await openStatusPage(rpcUrls, 0);
    const sent = request(page.url, { headers: { host } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const text = await response.setEncoding("utf8").toArray();
    expect([response.statusCode, text.join("").includes("generation")]).toEqual([
      status,
      status === 200,
    ]);
  },
);
