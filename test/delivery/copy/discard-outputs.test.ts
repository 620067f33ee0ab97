/** What is stored of a generation that ends without success goes, whatever a copy does at that moment. */
import { describe, expect, it } from "vitest";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { file, status, copierFixture } from "./store-output-fixture.ts";

const fixture = copierFixture();

describe("the outputs of a generation that ended without success", () => {
  const keptOf = ({ accountId, generationId }: { accountId: string; generationId: string }) =>
    fixture.sql`select from delivery.assets where account_id = ${accountId}
      and owner_id = ${generationId} and stored_at is not null and delete_at is null`;

  it("are marked for deletion, and are not stored again", async () => {
    const request = fixture.request("/a");
    await fixture.call(request);
    for (let n = 0; n < 2; n++) await fixture.rpc.discardOutput(request);
    expect(await keptOf(request)).toHaveLength(0);
    expect(await fixture.refusalOf(request)).toBe(ErrorReason.SOURCE_GONE);
    expect(fixture.upstream.requested).toEqual(["/a"]);
  });

  it("are not recorded by a copy that was running", async () => {
    const answer = Promise.withResolvers<void>();
    fixture.upstream.replies.set("/a", (response) => {
      void answer.promise.then(() => response.end(fixture.video));
    });
    const request = fixture.request("/a");
    const refused = fixture.refusalOf(request);
    await expect.poll(() => fixture.upstream.requested).toHaveLength(1);
    await fixture.rpc.discardOutput(request);
    answer.resolve();
    expect(await refused).toBe(ErrorReason.UNAVAILABLE);
    expect(await keptOf(request)).toHaveLength(0);
    expect(await fixture.objects()).toEqual([]);
  });

  it("are deleted by a copy that cannot record them", async () => {
    const request = fixture.request("/a");
    fixture.afterPut(() => fixture.rpc.discardOutput(request));
    expect(await fixture.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    expect(await fixture.objects()).toEqual([]);
  });

  it("are deleted where the copy ended before it recorded them", async () => {
    const request = fixture.request("/a");
    fixture.failing.puts = 1;
    expect(await fixture.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    expect(await fixture.objects()).toHaveLength(1);
    fixture.failing.deletes = 1;
    await expect(fixture.rpc.discardOutput(request)).rejects.toThrow("[internal]");
    await fixture.rpc.discardOutput(request);
    expect(await fixture.objects()).toEqual([]);
  });

  it("are marked where a copy is recording them at that moment", async () => {
    fixture.upstream.replies.set("/a", status(503));
    const request = fixture.request("/a");
    await fixture.refusalOf(request);
    fixture.upstream.replies.set("/a", file(fixture.video));
    const waiting = () => waitingSessions(fixture.sql);
    const running: Promise<unknown>[] = [];
    await fixture.sql.begin(async (other) => {
      await other`select from delivery.assets where owner_id = ${request.generationId} for update`;
      running.push(fixture.call(request));
      await expect.poll(waiting).toBe(1);
      running.push(fixture.rpc.discardOutput(request));
      await expect.poll(waiting).toBe(2);
    });
    await Promise.allSettled(running);
    expect(await keptOf(request)).toHaveLength(0);
  });
});
