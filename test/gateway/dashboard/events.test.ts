/** The dashboard's event stream: updates, limits and its end. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import {
  PASSWORD,
  accountOf,
  invitationToken,
  newBrowser,
  useSignedUpBrowser,
  type Schemas,
} from "./browser.ts";
import { video } from "../backends.ts";
import { useHarness } from "../harness.ts";
import { errorOf } from "../requests.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");

const harness = useHarness({ clock });
const user = useSignedUpBrowser(harness);

type Stream = AsyncDisposable & {
  response: Response;
  /** The next event; undefined when the stream has ended. */
  next: () => Promise<{ event: string; data: Record<string, unknown> } | undefined>;
};

async function open(browser = user.browser, account = user.account): Promise<Stream> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const stop = new AbortController();
  const response = await fetch(
    `${harness.url}/dashboard/api/accounts/${account}/events?mode=test`,
    { headers: { cookie }, signal: stop.signal },
  );
  const reader = response.ok
    ? response.body?.pipeThrough(new TextDecoderStream()).getReader()
    : undefined;
  let text = "";
  const next: Stream["next"] = async () => {
    while (true) {
      const [block = "", rest] = text.split(/\n\n(.*)/s);
      if (rest === undefined) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) return undefined;
        text += value;
        continue;
      }
      text = rest;
      const fields = new Map(
        block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]),
      );
      const event = fields.get("event");
      if (event !== undefined) return { event, data: JSON.parse(fields.get("data") ?? "") };
    }
  };
  return {
    response,
    next,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
    },
  };
}

/** The event after which the stream ends. */
async function lastOf(stream: Stream): Promise<Awaited<ReturnType<Stream["next"]>>> {
  let last;
  for (let event = await stream.next(); event; event = await stream.next()) last = event;
  return last;
}

const id = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
const showGeneration = (status: Status, progress: number) => {
  const generation = video({ id, status, progress });
  harness.backends.listGenerations = ({ kind }) => ({
    generations: kind === generation.kind ? [generation] : [],
    hasMore: false,
  });
};

describe("live updates", () => {
  it("send the current state, and then each change of a status, a progress or the balance", async () => {
    showGeneration(Status.PROCESSING, 10);
    await using stream = await open();
    expect(stream.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(stream.response.headers.get("cache-control")).toBe("no-store");
    const processing = { id, kind: "video", status: "processing" };
    expect(await stream.next()).toEqual({
      event: "generation",
      data: { ...processing, progress: 10 },
    });
    expect(await stream.next()).toEqual({
      event: "balance",
      data: { object: "balance", mode: "test", available: 99_500, reserved: 500, limits: [] },
    });
    showGeneration(Status.PROCESSING, 55);
    clock.advance(1_500);
    expect(await stream.next()).toEqual({
      event: "generation",
      data: { ...processing, progress: 55 },
    });
    await using second = await open();
    expect((await second.next())?.data).toEqual({ ...processing, progress: 55 });
    showGeneration(Status.SUCCESS, 100);
    clock.advance(1_500);
    const end = { event: "generation", data: { ...processing, status: "success", progress: 100 } };
    expect(await stream.next()).toEqual(end);
  });

  it("end with the session", async () => {
    await using stream = await open();
    await stream.next();
    const kept = new Map(user.browser.cookies);
    await user.browser.send("POST", "/auth/sign-out");
    clock.advance(15_000);
    expect(await lastOf(stream)).toEqual({ event: "ended", data: {} });
    for (const [name, value] of kept) user.browser.cookies.set(name, value);
    expect((await open()).response.status).toBe(401);
    user.browser.cookies.clear();
    user.account = accountOf(await user.browser.signUp());
  });

  it("end at once when a member is removed or a session is ended", async () => {
    const { account, browser } = user;
    const email = "guest@example.com";
    const invitation = { email, role: "viewer" };
    const { body: invited } = await browser.send<Schemas["CreatedInvitation"]>(
      "POST",
      `/accounts/${account}/invitations`,
      invitation,
    );
    const guest = newBrowser(harness);
    const { user: member } = await guest.signUp(email, invitationToken(invited.url));
    const elsewhere = newBrowser(harness);
    await elsewhere.send("POST", "/auth/sign-in", { email, password: PASSWORD });
    await using ended = await open(elsewhere);
    await guest.send("POST", "/auth/sessions/end-others");
    expect(await lastOf(ended)).toEqual({ event: "ended", data: {} });
    const { body: told } = await elsewhere.send<Schemas["Session"]>("GET", "/session");
    expect(told.ended_because).toBe("ended_elsewhere");
    await using removed = await open(guest);
    await browser.send("DELETE", `/accounts/${account}/members/${member?.id}`);
    expect(await lastOf(removed)).toEqual({ event: "ended", data: {} });
  });

  it("end at once when the user's password is set anew by a link", async () => {
    const email = "forgetful@example.com";
    const owner = newBrowser(harness);
    const account = accountOf(await owner.signUp(email));
    await using stream = await open(owner, account);
    await stream.next();
    const { url } = await harness.accounts.resetUserPassword({ email });
    // The sign-in library has a clock of its own.
    await harness.owner`update gateway.verifications set expires_at = now() + interval '1 hour'`;
    const token = new URLSearchParams(new URL(url).hash.slice(1)).get("token");
    const reset = { token, new_password: `${PASSWORD} again` };
    const { status } = await newBrowser(harness).send("POST", "/auth/password/reset", reset);
    expect(status).toBe(204);
    expect(await lastOf(stream)).toEqual({ event: "ended", data: {} });
  });

  it("end elsewhere at once when the user changes the password", async () => {
    const email = "careful@example.com";
    const owner = newBrowser(harness);
    const account = accountOf(await owner.signUp(email));
    const elsewhere = newBrowser(harness);
    await elsewhere.send("POST", "/auth/sign-in", { email, password: PASSWORD });
    await using stream = await open(elsewhere, account);
    await stream.next();
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} again` };
    expect((await owner.send("POST", "/auth/password", change)).status).toBe(204);
    expect(await lastOf(stream)).toEqual({ event: "ended", data: {} });
  });

  it("are closed when more is unread than a browser ever leaves, so that they fill no memory", async () => {
    // 20 of each kind: 16 MB, which come at once and are more than the kernel takes for a connection.
    const generations = Array.from({ length: 20 }, (_, index) =>
      video({ id: `vgen_${index}${"x".repeat(400_000)}` }),
    );
    harness.backends.listGenerations = () => ({ generations, hasMore: false });
    // Another account's feed may know its generations already.
    const owner = newBrowser(harness);
    const account = accountOf(await owner.signUp("unread@example.com"));
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const path = `/dashboard/api/accounts/${account}/events?mode=test`;
    const client = connect(Number(new URL(harness.url).port), "127.0.0.1");
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
    let received = 0;
    client.on("data", ({ length }: Buffer) => (received += length)).on("error", () => {});
    await new Promise((resolve) => client.once("close", resolve));
    // The connection may end before anything was sent.
    expect(received).toBeLessThan(8_000_000);
  });

  it("are limited to eight at a time per user, and closing one frees its slot", async () => {
    await using stack = new AsyncDisposableStack();
    const streams = await Promise.all(Array.from({ length: 8 }, () => open()));
    const [first, ...others] = streams;
    for (const stream of others) stack.use(stream);
    const ninth = stack.use(await open());
    expect([ninth.response.status, (await errorOf(ninth.response)).code]).toEqual([
      429,
      "too_many_streams",
    ]);
    await first?.[Symbol.asyncDispose]();
    await expect.poll(async () => stack.use(await open()).response.status).toBe(200);
  });

  it("end when the service stops", async () => {
    await using stream = await open();
    await stream.next();
    await harness.gateway[Symbol.asyncDispose]();
    let last = await stream.next();
    while (last) last = await stream.next();
    expect(last).toBeUndefined();
  });
});
