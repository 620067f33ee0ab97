/** How hosts that clients name are looked up: one host's name servers delay no other host. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  createGuardedAgent,
  hostResolver,
} from "../../../services/delivery/egress/guarded-agent.ts";
import { guardedRequest } from "../../../services/delivery/egress/request.ts";
import { parseCidrs } from "#runtime/address.ts";
import { startHttp } from "../../support/http-server.ts";
import { startNameServer } from "../../support/name-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const TARPITS = 100;
const nameServer = await startNameServer(
  new Map([
    ["hooks.example", "127.0.0.1"],
    ["public.example", "203.0.113.7"],
  ]),
);
const servers = [nameServer.address];
afterAll(() => nameServer[Symbol.asyncDispose]());

describe("with many requests to hosts whose name servers never answer", () => {
  it("a request to another host and a file are served", async () => {
    await using receiver = await startHttp((_, response) => response.end("hello"));
    const resolve = hostResolver({ servers });
    const allow = parseCidrs(["127.0.0.0/8"]);
    const agent = createGuardedAgent({ allow, resolve, plainHttp: true });
    let given = 0;
    const post = (url: string) =>
      guardedRequest(agent, {
        url,
        headers: {},
        body: "",
        deadlineMs: 60_000,
        maxResponseBytes: 100,
      });
    const tarpits = Array.from({ length: TARPITS }, async (_, index) => {
      await post(`https://tarpit-${index}.example/`);
      given += 1;
    });
    await nameServer.silentAbout(TARPITS);
    const answer = await post(`http://hooks.example:${receiver.port}/`);
    await readFile(import.meta.filename);
    expect(answer).toMatchObject({ ok: true, statusCode: 200 });
    expect(given).toBe(0);
    await agent.destroy();
    await Promise.all(tarpits);
  });
});

describe("a host", () => {
  it("is looked for in the hosts file first, by any of its names, in any case", async () => {
    await using folder = await temporaryFolder(0o700);
    const hostsFile = join(folder.path, "hosts");
    const lines = [
      "# comment",
      "192.0.2.1 public.example Alias.Example # both",
      "::1 alias.example",
    ];
    await writeFile(hostsFile, lines.join("\n"));
    const resolve = hostResolver({ servers, hostsFile });
    expect(await resolve("PUBLIC.example.")).toEqual([{ address: "192.0.2.1", family: 4 }]);
    expect(await resolve("alias.example")).toEqual([
      { address: "192.0.2.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  });

  it("called localhost is the machine itself, whatever the hosts file says of it", async () => {
    const resolve = hostResolver({ servers, hostsFile: "/nowhere" });
    expect(await resolve("localhost")).toEqual([
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  });

  it("is not asked for at a name server that did not answer before", async () => {
    await using silent = await startNameServer(new Map());
    const resolve = hostResolver({ servers: [silent.address, ...servers], hostsFile: "/nowhere" });
    const names = ["public.example", "hooks.example"];
    for (const name of names) expect(await resolve(name)).toHaveLength(1);
    expect([...silent.unanswered]).toEqual(names.slice(0, 1));
  });

  it("without a name server that answers is an error of DNS", async () => {
    const gone = await startNameServer(new Map());
    await gone[Symbol.asyncDispose]();
    const resolve = hostResolver({ servers: [gone.address] });
    await expect(resolve("public.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });
});
