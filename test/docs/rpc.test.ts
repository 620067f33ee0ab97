/** The samples of docs/rpc.md, run against an RPC server as they are on the page. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { accessGate } from "#runtime/rpc/server/access.ts";
import { forTests } from "../support/for-tests.ts";
import { serveRpc } from "../support/rpc-server.ts";

const run = promisify(execFile);

const PAGE = readFileSync("docs/rpc.md", "utf8");
const ACCOUNT = "acct_0000000000000000000000000a";
const MESSAGE = 'no account "x": 5 % of them, für/ohne, a+b & c';

/** The only code block of that language below the heading. */
function sampleOf(heading: string, language: string): string {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const [block, ...more] = section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"));
  expect(more).toEqual([]);
  return block?.[1] ?? "";
}

describe("docs/rpc.md", () => {
  const gate = accessGate(async (token) => {
    if (token === "the-token") return { name: "my-team", isInternal: true };
    throw new Error("another token");
  });
  const billing: Partial<ServiceImpl<typeof BillingService>> = {
    getBalance: ({ accountId, mode }) => {
      if (accountId !== ACCOUNT) throw new ConnectError(MESSAGE, Code.NotFound);
      return { balance: { accountId, mode, available: mode === Mode.LIVE ? 99_500n : 0n } };
    },
  };
  const server = forTests(() =>
    serveRpc((router) => router.service(BillingService, billing), { gate }),
  );

  const env = (account = ACCOUNT) => ({
    ...process.env,
    PATH: `node_modules/.bin:${dirname(process.execPath)}:${process.env["PATH"]}`,
    BILLING: server.url,
    TOKEN: "the-token",
    ACCOUNT: account,
  });
  const runNode = (type: string, source: string, account?: string) =>
    run(process.execPath, [`--input-type=${type}`, "-e", source], { env: env(account) });

  it("calls by buf curl", async () => {
    const { stdout } = await run("sh", ["-ec", sampleOf("buf curl", "sh")], { env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ balance: { available: "99500" } });
  });

  it.each([
    ["grpc-js", "js", "module", "NOT_FOUND"],
    ["Connect", "ts", "module-typescript", "NotFound"],
  ])("calls by %s, which shows the message of an error", async (by, language, type, code) => {
    const sample = sampleOf(by, language);
    expect((await runNode(type, sample)).stdout).toBe("99500\n");
    const refused = await runNode(type, sample, "acct_0000000000000000000000000b");
    expect(refused.stdout).toBe(`${code}: ${MESSAGE}\n`);
  });
});
