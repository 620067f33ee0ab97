/** A peer that answers late, to pings too: it is busy, or far away. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { afterEach, expect, it, vi } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { startProcess } from "../../../support/process.ts";

const TIMERS = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
/** The sessions that a client keeps to one address. */
const SESSIONS = 3;
/** After this every session has pinged. */
const PING_AFTER_MS = 375;
/** Longer than a healthy peer takes to answer a ping, shorter than the time after which it counts as silent. */
const LATE_MS = 350;
/** How long a call waits for a prompter session. */
const WAIT_FOR_PROMPT_MS = 250;
/** A ping, its frame's header included. */
const PING_BYTES = 17;
/** Where a frame has its type, and the type of one that begins a call. */
const TYPE_AT = 3;
const HEADERS = 1;
/** The frame with which a client has taken the peer's settings: its session is open then. */
const SETTINGS_TAKEN = Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0]);

/** A port in front of `port`. From `hold` on, answers are kept back until a call is sent. */
async function openLink(port: number) {
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  const opened = new Set<Socket>();
  const pinged = new Set<Socket>();
  let isHeld = false;
  const server = createServer((inner) => {
    const outer = connect(port, "127.0.0.1");
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    inner.on("data", (chunk: Buffer) => {
      if (chunk.includes(SETTINGS_TAKEN)) opened.add(inner);
      if (isHeld && chunk.length === PING_BYTES) pinged.add(inner);
      if (isHeld && chunk[TYPE_AT] === HEADERS) {
        isHeld = false;
        for (const write of kept.splice(0)) write();
      }
      outer.write(chunk);
    });
    outer.on("data", (chunk: Buffer) => {
      if (isHeld) kept.push(() => inner.write(chunk));
      else inner.write(chunk);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      isHeld = true;
    },
    openSessions: () => opened.size,
    pingedSessions: () => pinged.size,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

afterEach(() => void vi.useRealTimers());

it("a peer that owes answers to pings is called when no prompter one is there", async () => {
  const replica = startProcess("test/runtime/rpc/client/replica-process.ts", {});
  try {
    const output = await replica.says("listening on ");
    using link = await openLink(Number(/listening on \S+:(\d+)/.exec(output)?.[1]));
    vi.useFakeTimers({ toFake: [...TIMERS, "performance"] });
    using http = overHttp([`http://127.0.0.1:${link.port}`]);
    const billing = createClient(BillingService, http.connect([]));
    await billing.getBalance({});
    await expect.poll(link.openSessions, { interval: 10 }).toBe(SESSIONS);
    link.hold();
    await vi.advanceTimersByTimeAsync(PING_AFTER_MS);
    await expect.poll(link.pingedSessions, { interval: 10 }).toBe(SESSIONS);
    await vi.advanceTimersByTimeAsync(LATE_MS);
    const timers = vi.getTimerCount();
    const answer = billing.getBalance({});
    await expect.poll(vi.getTimerCount, { interval: 10 }).toBeGreaterThan(timers);
    await vi.advanceTimersByTimeAsync(WAIT_FOR_PROMPT_MS);
    expect((await answer).balance).toBeDefined();
  } finally {
    await replica.end("SIGKILL");
  }
});
