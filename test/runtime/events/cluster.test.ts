/** The event stream on three NATS servers, killed, paused and wiped. Elections take seconds: TEST_SIZE=long only. */
import { connect, type StreamInfo } from "nats";
import { natsAt } from "#runtime/events/config.ts";
import { STREAM } from "#runtime/events/events.ts";
import { startNatsCluster, type NatsNode } from "../../support/nats-cluster.ts";
import { figure } from "../../support/scrape.ts";
import { busFixture, expectWorking, SOON } from "./bus-fixture.ts";
import { forTests } from "../../support/for-tests.ts";
import { isLong } from "../../support/test-size.ts";

const cluster = forTests(() => startNatsCluster());

const threeReplicas = () => ({ ...natsAt(cluster.url), replicas: 3 });

/** The stream, or undefined while the servers cannot say. */
async function info(): Promise<StreamInfo | undefined> {
  const nats = await connect({ servers: natsAt(cluster.url).servers });
  try {
    const { streams } = await nats.jetstreamManager({ timeout: 500, checkAPI: false });
    return await streams.info(STREAM.name);
  } catch {
    return undefined;
  } finally {
    await nats.close();
  }
}

/** The server that leads the stream. */
async function streamLeader(): Promise<NatsNode> {
  const leader = async () => (await info())?.cluster?.leader ?? "";
  await expect.poll(leader, SOON).toMatch(/^n/);
  const name = await leader();
  const node = cluster.nodes.find((one) => one.name === name);
  return node ?? streamLeader();
}

/** How many servers have all of it: one that a copy was just ordered for could not go on without the others. */
function copies(of: StreamInfo | undefined): number {
  if (of === undefined) return 0;
  const followers = of.cluster?.replicas ?? [];
  return 1 + followers.filter(({ current }) => current).length;
}

const hostOf = (node: NatsNode) => new URL(node.url).host;

/** Until it is disposed of. */
function paused(...nodes: readonly NatsNode[]): Disposable {
  for (const node of nodes) node.pause();
  return { [Symbol.dispose]: () => nodes.forEach((node) => node.continue()) };
}

describe.runIf(isLong)("the event stream on a cluster", { timeout: 4 * SOON.timeout }, () => {
  it("leaves a server that has become silent", async () => {
    await using first = busFixture(natsAt(cluster.url));
    await expectWorking(first);
    const leader = await streamLeader();
    const [silent] = cluster.nodes.filter((node) => node !== leader) as [NatsNode];
    await using bus = busFixture({ ...natsAt(cluster.url), servers: [hostOf(silent)] });
    await expectWorking(bus);
    using _ = paused(silent);
    await expectWorking(bus);
  });

  it("corrects the replicas of a stream that was made with another setting", async () => {
    const replicas = async () => copies(await info());
    await expect.poll(replicas, SOON).toBe(1);
    await using bus = busFixture(threeReplicas());
    await expectWorking(bus);
    await expect.poll(replicas, SOON).toBe(3);
  });

  it("goes on when the server that it is connected to is killed", async () => {
    const [killed] = cluster.nodes as [NatsNode];
    await using bus = busFixture({ ...threeReplicas(), servers: [hostOf(killed)] });
    await expectWorking(bus);
    await killed.kill();
    try {
      await expectWorking(bus);
    } finally {
      await killed.start();
    }
    const [line = "{}"] = bus.logged().match(/.*event stream unavailable, reconnecting.*/) ?? [];
    expect(JSON.parse(line)).toMatchObject({ server: hostOf(killed) });
  });

  it("is unavailable while two of three servers are frozen, and says so, until they go on", async () => {
    await using bus = busFixture(threeReplicas());
    await expectWorking(bus);
    const isOn = () => bus.isIn("EventStreamUnavailable");
    await expect.poll(isOn, SOON).toBe(false);
    {
      using _ = paused(...cluster.nodes.slice(1));
      await expect.poll(isOn, SOON).toBe(true);
    }
    await expect.poll(isOn, SOON).toBe(false);
    await expectWorking(bus);
  });

  it("makes the stream again after all servers lost their stores", async () => {
    await using bus = busFixture(threeReplicas());
    await expectWorking(bus);
    const made = async () => figure(await bus.scrape(), "media_event_stream_made_total");
    const isDown = () => bus.isIn("EventStreamDown");
    const before = await made();
    expect(await isDown()).toBe(false);
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await expect.poll(isDown, SOON).toBe(true);
    await Promise.all(cluster.nodes.map((node) => node.wipe()));
    await Promise.all(cluster.nodes.map((node) => node.start()));
    await expectWorking(bus);
    await expect.poll(made, SOON).toBe(before + 1);
    await expect.poll(isDown, SOON).toBe(false);
    await expect.poll(async () => copies(await info()), SOON).toBe(3);
  });

  it("drops events while there is no server, and holds up no stop", async () => {
    await using bus = busFixture(threeReplicas());
    await expectWorking(bus);
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await expect.poll(() => bus.isIn("EventStreamDown"), SOON).toBe(true);
    const dropped = async () =>
      figure(await bus.scrape(), "media_events_published_total", { outcome: "dropped" });
    const before = await dropped();
    for (let i = 0; i < 5_000; i++) bus.publish();
    expect(await dropped()).toBe(before + 5_000);
    await bus[Symbol.asyncDispose]();
  });
});
