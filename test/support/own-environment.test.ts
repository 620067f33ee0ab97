/** Tests touch nothing of the user who runs them. */
import { execFile } from "node:child_process";
import { connect, type LookupFunction, type NetConnectOpts } from "node:net";
import { homedir } from "node:os";
import { promisify } from "node:util";
import { startHttp } from "./http-server.ts";
import { ownEnvironment } from "./own-environment.ts";
import { runToEnd } from "./process.ts";

const run = promisify(execFile);

const CONNECT = `
require("node:net").connect(JSON.parse(process.argv[1]))
  .on("connect", () => process.exit(0))
  .on("error", ({ code }) => process.stdout.write(code));`;

/** Undefined once it is connected. */
const errorOf = (to: NetConnectOpts): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const socket = connect(to, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on("error", resolve);
  });

describe("a test", () => {
  it("gets no variable of the user's but those that say how to run it", () => {
    const kept = { PATH: "/bin", CI: "1", TEST_SIZE: "long" };
    const users = {
      ...kept,
      HOME: "/home/user",
      DATA_DIR: "/srv/media",
      PGHOST: "db",
      NODE_OPTIONS: "--inspect",
    };
    expect(ownEnvironment(users, "/tmp/one")).toEqual({
      ...kept,
      HOME: "/tmp/one/home",
      TMPDIR: "/tmp/one/tmp",
      DATA_DIR: "/tmp/one/data",
      NODE_OPTIONS: expect.stringMatching(/^--import file:[^ ]*refused-connections.mjs$/),
    });
  });

  it("runs in that environment, and so do the programs that it starts", async () => {
    expect(homedir()).toMatch(/media-user-\w+\/home$/);
    const { output } = await runToEnd("services/ops/main.ts", {}, ["account", "list"]);
    expect(output).toMatch(/media-user-\w+\/data\/endpoints.json/);
  });

  const publicAddress: LookupFunction = (_host, _options, answer) =>
    answer(null, [{ address: "192.0.2.1", family: 4 }]);
  it.each<[string, NetConnectOpts]>([
    ["another machine", { host: "192.0.2.1", port: 32_768 }],
    ["another machine by IPv6", { host: "2001:db8::1", port: 32_768 }],
    ["a name of another machine", { host: "a.example.com", port: 32_768, lookup: publicAddress }],
    ["another machine's https", { host: "a.example.com", port: 443, lookup: publicAddress }],
    ["npm start's port", { host: "127.0.0.1", port: 8_080 }],
    ["a database of this machine", { host: "localhost", port: 5_432 }],
  ])("connects not to %s", async (_what, to) => {
    const error = await errorOf(to);
    expect(error?.message).toMatch(/IP.*blocked|no test has opened this port/);
  });

  it("connects to what tests open, as do the processes that it starts", async () => {
    await using server = await startHttp((_request, response) => response.end());
    const open = { host: "127.0.0.1", port: server.port };
    expect(await errorOf(open)).toBeUndefined();
    expect(await errorOf({ ...open, host: "localhost" })).toBeUndefined();
    const fromChild = async (to: object) =>
      (await run(process.execPath, ["-e", CONNECT, JSON.stringify(to)])).stdout;
    expect(await fromChild(open)).toBe("");
    expect(await fromChild({ host: "192.0.2.1", port: 32_768 })).toBe("ERR_IP_BLOCKED");
  });
});
