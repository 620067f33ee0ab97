/** Portkey's gateway, which passes images through without storing them or taking money for them, as a limit of ours. */
import { once } from "node:events";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startProcess } from "../support/process.ts";
import type { Row } from "./api-rows.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";

export type Peer = AsyncDisposable & {
  port: number;
  pids: readonly number[];
  /** The row's requests as the peer takes them. */
  asked: (row: Row) => Row;
};

/** Installs it from npm into `folder`, which takes a network, and starts it on the upstream. */
export async function startPeer(folder: string, upstreamUrl: string): Promise<Peer> {
  const npm = spawn("npm", ["install", "--prefix", folder, "--no-audit", `${PACKAGE}@${VERSION}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error(`npm could not install ${PACKAGE}`);
  const port = await freePort();
  const file = join(folder, "node_modules", PACKAGE, "build/start-server.js");
  const running = startProcess(file, { NODE_ENV: "production" }, [`--port=${port}`, "--headless"]);
  await running.says("is running at");
  const headers = `x-portkey-provider: openai\r\nx-portkey-custom-host: ${upstreamUrl}\r\n`;
  return {
    port,
    pids: [running.pid],
    asked: (row) => {
      const requests = row.requests.map((text) => text.replace("\r\n", `\r\n${headers}`));
      return { ...row, requests };
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
