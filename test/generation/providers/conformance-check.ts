/** Conformance of check: what operators are told of an upstream. */
import { expect, test } from "vitest";
import { never, startAdapter } from "./adapter-under-test.ts";
import type { Subject } from "./subject.ts";

export function checkConforms(subject: Subject) {
  test("a check asks something harmless and says whether we are served", async () => {
    await using adapter = await startAdapter(subject);
    expect(await adapter.provider.check(never)).toEqual({ ok: true });
    expect(adapter.fake.jobs).toEqual([]);
    const wrong = adapter.providerWith({ key: "the-wrong-key" });
    const answer = await wrong.check(never);
    expect(answer).toMatchObject({ ok: false, fault: "auth" });
    expect(JSON.stringify(answer)).not.toContain("the-wrong-key");
    adapter.fake.once("check", { instead: { status: 503 } });
    expect(await adapter.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
    adapter.fake.once("check", { instead: "drop" });
    expect(await adapter.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
  });

  test("a check of a host that is not there says that it is unavailable", async () => {
    const gone = await startAdapter(subject);
    await gone[Symbol.asyncDispose]();
    expect(await gone.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
  });
}
