/** The simulator behind its adapter. */
import { expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { simulatorProvider } from "../../../services/generation/providers/simulator/simulator.ts";
import { start } from "../../../services/simulator/service.ts";
import { simulatorConfig } from "../../support/simulator-config.ts";
import { temporaryFolder } from "../../support/whole-service.ts";
import { accepted, jobWith } from "./adapter-under-test.ts";

const never = new AbortController().signal;

it("finds the job of a submit whose answer was lost, and makes no second one", async () => {
  await using folder = await temporaryFolder();
  const log = createLog("simulator", "silent");
  await using simulator = await start(simulatorConfig(folder.path), { clock: systemClock, log });
  const provider = simulatorProvider(simulator.url);
  const job = jobWith({ kind: "video", durationSeconds: 5, submittedAt: systemClock.now() });
  const upstreamId = await accepted(provider, job);
  const found = await provider.find({ job, sentAt: job.submittedAt }, never);
  expect(found).toEqual({ kind: "found", upstreamId });
});
