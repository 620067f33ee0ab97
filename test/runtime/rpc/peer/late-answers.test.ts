/** A peer that answers late, to pings too: it is busy, or far away. */
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client.ts";
import { startProcess } from "../../../support/process.ts";

/** The sessions that a client keeps to one address. */
const SESSIONS = 3;
/** Longer than a healthy peer takes to answer a ping, shorter than the time after which it counts as silent. */
const LATE_MS = 350;
/** A ping, its frame's header included. */
const PING_BYTES = 17;

/** A port in front of `port`. From `hold` on, answers are kept back until a call is sent. */
async function openLink(port: number) {
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  let isHeld = false;
  let pinged = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(port, "127.0.0.1");
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    inner.on("data", (chunk: Buffer) => {
      if (chunk.length === PING_BYTES) pinged.add(inner);
      if (isHeld && chunk.length > 3 * PING_BYTES) {
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
      pinged = new Set();
    },
    pingedSessions: () => pinged.size,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

it("a peer that owes answers to pings is called when no prompter one is there", async () => {
  const replica = startProcess("test/runtime/rpc/peer/replica-process.ts", {});
  try {
    const output = await replica.says("listening on ");
    using link = await openLink(Number(/listening on \S+:(\d+)/.exec(output)?.[1]));
    using http = overHttp(`http://127.0.0.1:${link.port}`);
    const billing = createClient(BillingService, http.connect([]));
    await billing.getBalance({});
    link.hold();
    await expect.poll(link.pingedSessions, { interval: 10 }).toBe(SESSIONS);
    await delay(LATE_MS);
    expect((await billing.getBalance({})).balance).toBeDefined();
  } finally {
    await replica.end("SIGKILL");
  }
});
