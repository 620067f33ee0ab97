/** Prefer: wait=N on creates and retrieves, the header as RFC 7240 has it, and the look for all that wait. */
import { create } from "@bufbuild/protobuf";
import { inject } from "vitest";
import { FindEndedResponseSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { natsAt } from "#runtime/events/config.ts";
import { randomId } from "#runtime/id.ts";
import { preferencesOf } from "../../../../services/gateway/edge/waiting/prefer-wait.ts";
import { createWaitingRequests } from "../../../../services/gateway/edge/waiting/waiting-requests.ts";
import { busFixture } from "../../../runtime/events/bus-fixture.ts";
import { newAccountId } from "../../../support/account.ts";
import { forTests } from "../../../support/for-tests.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { video } from "../../backends.ts";
import { useHarness, WITHOUT_EVENTS } from "../../harness.ts";
import { errorOf, passTime, VIDEO, VIDEOS } from "../../requests.ts";

/** A clock that never reaches the next poll: only the event can end a wait. Short sleeps, of reconnects, work. */
const eventsOnly: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 1_000 ? ms : 1_000_000, signal),
};

const bus = forTests(() => busFixture(natsAt(inject("natsUrl"))));
const harness = useHarness({ clock: eventsOnly });

const waiting = (id: string, prefer = "wait=30") => harness.get(`${VIDEOS}/${id}`, { prefer });
const appliedIn = ({ headers }: Response) => headers.get("preference-applied");
const statusOf = async (response: Response) =>
  ((await response.json()) as { status: string }).status;

/** Makes every generation have `status` from now on. */
const setStatus = (status: Status) => harness.answerAll({ status });

/** Publishes the event until the response arrives: one may be published before the gateway subscribes. */
async function publishUntil<T>(answer: Promise<T>, id: string): Promise<T> {
  let isThere = false;
  void Promise.allSettled([answer]).then(() => (isThere = true));
  const publishes = () => {
    bus.publish(video({ id }));
    return isThere;
  };
  await expect.poll(publishes).toBe(true);
  return answer;
}

const hasRead = (count: number) =>
  expect.poll(() => harness.requestsTo("getGeneration").length).toBe(count);

describe("Prefer: wait=N", () => {
  it("delays a retrieve until the event of the end, for any number of waiting requests", async () => {
    const id = randomId("vgen");
    setStatus(Status.PROCESSING);
    const answers = Promise.all(Array.from({ length: 20 }, () => waiting(id)));
    await hasRead(20);
    setStatus(Status.SUCCESS);
    for (const response of await publishUntil(answers, id)) {
      expect([response.status, appliedIn(response)]).toEqual([200, "wait=30"]);
      expect(await response.json()).toMatchObject({ id, status: "success" });
    }
  });

  it("delays a create in the same way, and returns 202", async () => {
    setStatus(Status.PENDING);
    const answer = harness.post(VIDEOS, VIDEO, { prefer: "wait=60" });
    await expect.poll(() => harness.requestsTo("createVideo").length).toBe(1);
    setStatus(Status.FAILED);
    const id = harness.requestsTo("createVideo")[0]?.generationId ?? "";
    const response = await publishUntil(answer, id);
    expect([response.status, appliedIn(response)]).toEqual([202, "wait=60"]);
    expect(await response.json()).toMatchObject({ id, status: "failed" });
  });

  it("does not delay an ended generation, an error, or a request without the header", async () => {
    setStatus(Status.CANCELED);
    expect(appliedIn(await waiting(randomId("vgen")))).toBe("wait=30");
    const absent = await waiting("nope");
    expect([absent.status, appliedIn(absent)]).toEqual([404, null]);
    setStatus(Status.PENDING);
    const plain = await harness.get(`${VIDEOS}/${randomId("vgen")}`);
    expect([plain.status, appliedIn(plain)]).toEqual([200, null]);
  });
});

describe("Prefer: wait=N without an event stream", () => {
  const timed = useHarness(WITHOUT_EVENTS);
  const { clock } = WITHOUT_EVENTS;
  const reads = () => timed.requestsTo("getGeneration").length;

  /** The answer to a request that waits, each read of which returns the next state; `meanwhile` is done after the first. */
  async function answered(
    prefer: string,
    states: (Status | "unavailable")[],
    meanwhile = async () => {},
  ) {
    timed.backends.getGeneration = ({ generationId: id }) => {
      const status = states[Math.min(reads(), states.length) - 1];
      if (status === undefined || status === "unavailable") throw new Error("unavailable");
      return { generation: video({ id, status }) };
    };
    const startedMs = clock.now().getTime();
    const answer = timed.get(`${VIDEOS}/${randomId("vgen")}`, { prefer });
    await expect.poll(reads).toBe(1);
    await meanwhile();
    const response = await passTime(clock, answer);
    return { response, tookMs: clock.now().getTime() - startedMs };
  }

  it("returns the current state after N seconds", async () => {
    const { response, tookMs } = await answered("wait=3", [Status.PROCESSING]);
    expect(tookMs).toBeGreaterThanOrEqual(3_000);
    expect([response.status, appliedIn(response)]).toEqual([200, "wait=3"]);
    expect(await statusOf(response)).toBe("processing");
    // Once when the wait began, and once when it ended.
    expect(reads()).toBe(2);
  });

  it("notices the end", async () => {
    timed.answerAll({ status: Status.SUCCESS });
    const { response, tookMs } = await answered("wait=60", [Status.PROCESSING, Status.SUCCESS]);
    expect(await statusOf(response)).toBe("success");
    expect(reads()).toBe(2);
    expect(tookMs).toBeLessThan(60_000);
  });

  it("is refused when its key was revoked meanwhile, and reads nothing more", async () => {
    const { accountId } = timed.key;
    const revoke = (at: Date | null) =>
      timed.owner`update gateway.api_keys set revoked_at = ${at} where account_id = ${accountId}`;
    const states = [Status.PROCESSING, Status.SUCCESS];
    const { response } = await answered("wait=3", states, async () => {
      await revoke(clock.now());
    });
    expect(await errorOf(response)).toMatchObject({ status: 401, code: "revoked_api_key" });
    expect(reads()).toBe(1);
    await revoke(null);
    clock.advance(1_000);
  });

  it("returns the last known state when the generation cannot be read again", async () => {
    const { response } = await answered("wait=1", [Status.PROCESSING, "unavailable"]);
    expect([response.status, await statusOf(response)]).toEqual([200, "processing"]);
  });

  it("returns the last known state, too, when the key cannot be looked at again", async () => {
    await using stack = new AsyncDisposableStack();
    stack.defer(
      async () => void (await timed.owner`grant select on gateway.api_keys to media_gateway`),
    );
    const { response } = await answered("wait=5", [Status.PROCESSING], async () => {
      await timed.owner`revoke select on gateway.api_keys from media_gateway`;
    });
    expect([response.status, await statusOf(response)]).toEqual([200, "processing"]);
  });
});

it.each<[prefer: string | undefined, waitSeconds?: number | undefined, respondAsync?: boolean]>([
  ["wait=5", 5],
  ["wait=61", 60],
  ["wait", 60],
  ["respond-async, wait=", 60, true],
  ["wait=05", 5],
  ['wait="7"', 7],
  ["Wait = 7", 7],
  ["respond-async, wait=8;a=b, foo", 8, true],
  ["wait=8, Respond-Async;x=y", 8, true],
  ["wait=9, wait=3", 9],
  ['x="a,wait=2", wait=4', 4],
  ['x="a\\",wait=2", wait=4', 4],
  [undefined],
  [""],
  ["wait=0"],
  ['x="a", respond-async, wait=ten', undefined, true],
  ["waits=3, respond-asyncs"],
  ['x="a, wait=4, respond-async'],
  [`x="${'\\"'.repeat(500)}", wait=4`],
  [`${" ".repeat(1_000)}respond-async`],
])("%j is wait=%s, respond-async=%s", (prefer, waitSeconds, respondAsync = false) => {
  const headers = prefer === undefined ? {} : { prefer };
  expect(preferencesOf({ headers })).toEqual({ waitSeconds, respondAsync });
});

/** The waiting requests of a process, with what was asked of generation, which answers the end of `ended`. */
function waitingOf(ended: string[], hasEvents = false) {
  const clock = manualClock();
  const asked: string[][] = [];
  const findEnded = async ({ generations = [] }: { generations?: { generationId?: string }[] }) => {
    asked.push(generations.map(({ generationId = "" }) => generationId));
    return create(FindEndedResponseSchema, { generationIds: ended });
  };
  const deps = { clock, hasEvents: () => hasEvents, generation: { findEnded } };
  return { clock, asked, waiting: createWaitingRequests(deps) };
}

it.each([
  ["every second while events do not arrive", false, 20],
  ["every ten seconds while events arrive", true, 2],
])("the look for what has ended is one for all that wait, %s", async (_when, hasEvents, looks) => {
  const { clock, asked, waiting } = waitingOf(["b"], hasEvents);
  const { signal } = new AbortController();
  await waiting.look.run(signal);
  expect(asked).toEqual([]);
  const accountId = newAccountId();
  const waiters = ["a", "b", "c"].map((generationId) => waiting.begin({ accountId, generationId }));
  const woken: number[] = [];
  for (const [index, waiter] of waiters.entries()) {
    void waiter?.wait(1_000_000, signal).then(() => woken.push(index));
  }
  for (let second = 0; second < 20; second++) {
    await waiting.look.run(signal);
    clock.advance(1_000);
  }
  expect(asked).toEqual(Array.from({ length: looks }, () => ["a", "b", "c"]));
  expect(woken).toEqual([1]);
  // An answered request is left out.
  waiters[0]?.[Symbol.dispose]();
  clock.advance(10_000);
  await waiting.look.run(signal);
  expect(asked.at(-1)).toEqual(["b", "c"]);
});
