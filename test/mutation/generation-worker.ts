/** The guards of the worker and of what it sends to upstreams, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const HTTP = "services/generation/providers/shared/http.ts";
const OUTCOME = "services/generation/providers/shared/outcome.ts";
const RULES = "services/generation/providers/shared/rules.ts";
const CAPACITY = "services/generation/worker/slots/capacity.ts";
const RUN_TASK = "services/generation/worker/run-task.ts";
const SLOTS = "services/generation/worker/slots/slots.ts";
const RECORD_ACCEPTED = "services/generation/worker/steps/record-accepted.ts";
const RESOLVE_IMAGE = "services/generation/worker/steps/resolve-image.ts";
const RESOLVE_SUBMIT = "services/generation/worker/steps/resolve-submit.ts";
const SETTLE = "services/generation/worker/steps/settle.ts";
const SEND_ONCE = "services/generation/providers/shared/send-once.ts";
const SUBMIT = "services/generation/worker/steps/submit.ts";
const TRY_UPSTREAMS = "services/generation/worker/steps/try-upstreams.ts";
const FETCH_PICTURES = "services/generation/worker/pictures/fetch-pictures.ts";
const BUDGET = "services/generation/worker/pictures/budget.ts";

const CANCEL_VIDEO_TEST = "test/generation/rpc/cancel-video.test.ts";
const ENGINE_TEST = "test/generation/worker/engine.test.ts";
const FAILOVER_TEST = "test/generation/worker/failover.test.ts";
const KNOWN_ANSWER_TEST = "test/generation/worker/known-answer.test.ts";
const IMAGE_CUT_OFF_TEST = "test/generation/worker/image-cut-off.test.ts";
const LEASE_TEST = "test/generation/worker/lease.test.ts";
const RULES_TEST = "test/generation/providers/shared/rules.test.ts";
const PICTURES_TEST = "test/generation/worker/pictures/pictures.test.ts";
const BUDGET_TEST = "test/generation/worker/pictures/budget.test.ts";
const POLL = "services/generation/worker/steps/poll.ts";
const POLL_TEST = "test/generation/worker/poll.test.ts";
const BULKHEADS = "services/generation/worker/slots/bulkheads.ts";
const BULKHEADS_TEST = "test/generation/worker/slots/bulkheads.test.ts";
const SLOTS_TEST = "test/generation/worker/slots/slots.test.ts";
const ARK_TEST = "test/generation/providers/ark.test.ts";
const HTTP_TEST = "test/generation/providers/shared/http.test.ts";

export const generationWorker: readonly Mutation[] = [
  {
    guard: "a worker renews its lease",
    file: RUN_TASK,
    old: "const leaseKept = keepLease(deps, claimed, ended);",
    new: "const leaseKept = Promise.resolve();",
    test: LEASE_TEST,
  },
  {
    guard: "a lost lease aborts the step",
    file: RUN_TASK,
    old: "if (!isHeld) ended.abort();",
    new: "if (!isHeld) return;",
    test: LEASE_TEST,
  },
  {
    guard: "nothing is submitted after the queue deadline",
    file: TRY_UPSTREAMS,
    old: 'if (deps.clock.now() >= queueDeadlineOf(deps, row)) return { kind: "late", row };',
    new: "",
    test: ENGINE_TEST,
  },
  {
    guard: "a task is not sent to an upstream that cannot make it",
    file: TRY_UPSTREAMS,
    old: "  if (!canServe(upstream, input)) {",
    new: "  if (upstream.name === row.id) {",
    test: FAILOVER_TEST,
  },
  {
    guard: "failover passes over an upstream that cannot make the task",
    file: TRY_UPSTREAMS,
    old: ".filter((one) => !tried.has(one.name) && canServe(one, input));",
    new: ".filter((one) => !tried.has(one.name));",
    test: FAILOVER_TEST,
  },
  {
    guard: "only a documented 5xx is a certain rejection",
    file: RULES,
    old: "answer.status >= 500 ? rules.filter((rule) => rule.isCertainAt5xx) : rules;",
    new: "rules;",
    test: RULES_TEST,
  },
  {
    guard: "a negative prompt that does not fit its field is not cut",
    file: "services/generation/providers/shared/prompt.ts",
    old: "if (negativePrompt.length <= max.negativePrompt) return { prompt, negativePrompt };",
    new: "return { prompt, negativePrompt };",
    test: "test/generation/providers/dashscope.test.ts",
  },
  {
    guard: "a job is gone only after its upstream has not known it for a minute",
    file: POLL,
    old: "return goneSince !== null && clock.now() >= addMs(goneSince, GONE_AFTER_MS);",
    new: "return true;",
    test: POLL_TEST,
  },
  {
    guard: "a job that was seen again is not gone",
    file: POLL,
    old: "{ progress, failures: 0, goneSince: null }",
    new: "{ progress, failures: 0 }",
    test: POLL_TEST,
  },
  {
    guard: "the wait asked for in answer to a refused poll",
    file: POLL,
    old: "if (retryAfterMs === undefined) throw error;",
    new: "throw error;",
    test: POLL_TEST,
  },
  {
    guard: "the wait asked for in answer to a poll of a running job",
    file: POLL,
    old: "Math.max(plannedMs, postponedMs(polled.retryAfterMs ?? 0, random));",
    new: "plannedMs;",
    test: POLL_TEST,
  },
  {
    guard: "the wait asked for in answer to a poll holds for the account",
    file: "services/generation/upstreams/build-upstreams.ts",
    old: "if (leftMs > 0) throw new PollPausedError(leftMs);",
    new: "",
    test: "test/generation/upstreams/choose.test.ts",
  },
  {
    guard: "upstreams that hang leave slots to the others",
    file: BULKHEADS,
    old: "Math.max(1, Math.floor((concurrency - (total - countOf(credential))) / 2));",
    new: "Math.max(1, Math.floor(concurrency / 2));",
    test: BULKHEADS_TEST,
  },
  {
    guard: "one claim of due rows keeps to the shares of credentials",
    file: "services/generation/worker/claim-work.ts",
    old: "if (isUpstreamWork && shares.free(credential) < 1) beyond.push(row);\n    else kept",
    new: "kept",
    test: BULKHEADS_TEST,
  },
  {
    guard: "an account gets no more slots than tasks that may fetch their pictures",
    file: SLOTS,
    old: "Math.max(mayFetch ? Math.min(free, deps.pictures.freeSlots(accountId)) : free, 0);",
    new: "Math.max(free, 0);",
    test: PICTURES_TEST,
  },
  {
    guard: "the intent is written after the pictures were fetched",
    file: TRY_UPSTREAMS,
    old: `  using pictures = deps.pictures.of(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
`,
    new: `  using pictures = deps.pictures.of(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
  row = (await deps.writes.update(row, intentOf(deps, row, 0))) ?? row;
`,
    test: PICTURES_TEST,
  },
  {
    guard: "a picture is fetched three times at most",
    file: FETCH_PICTURES,
    old: `if (pauseMs === undefined || addMs(clock.now(), pauseMs) >= giveUpAt) return undefined;
    await clock.sleep(pauseMs, signal);`,
    new: "await clock.sleep(pauseMs ?? 1_000, signal);",
    test: PICTURES_TEST,
  },
  {
    guard: "a delivery that is down is not the picture's fault",
    file: "services/generation/worker/pictures/fetch-input.ts",
    old: 'if (fault?.field !== "url") throw error;',
    new: 'if (!fault) return "unreadable";',
    test: PICTURES_TEST,
  },
  {
    guard: "an account's part of the memory for pictures",
    file: BUDGET,
    old: "if (!first || (held.get(accountId) ?? 0) + first.bytes > limits.perAccount) continue;",
    new: "if (!first) continue;",
    test: BUDGET_TEST,
  },
  {
    guard: "accounts that wait for memory get it in turn",
    file: BUDGET,
    old: "    waiting.delete(accountId);\n    if (waiters.length > 0) waiting.set(accountId, waiters);",
    new: "    waiting.set(accountId, waiters);",
    test: BUDGET_TEST,
  },
  {
    guard: "the memory for pictures in all",
    file: BUDGET,
    old: "if (heldInAll + first.bytes > limits.total) return;",
    new: "",
    test: BUDGET_TEST,
  },
  {
    guard: "the event is published after the end is committed",
    file: SETTLE,
    old: `  const ended = await deps.writes.update(row, {
    status: settling,
    step: isNotified ? "notify" : after,
    nextStepAt: isNotified ? addMs(now, CONFIRM_WITHIN_MS) : after === "done" ? null : now,
    leaseUntil: null,
    failures: 0,
    completedAt: now,
    ...(settling === "success" ? { progress: 100 } : {}),
  });
  if (!ended) return;
  deps.completions.complete(row.id);
  await recordDuration(deps, ended);
  deps.metrics.ended.inc({ kind: row.kind, status: settling, code: ended.errorCode ?? "" });
  deps.bus.publish(generationFinished, finishedEvent(ended));
`,
    new: `  deps.bus.publish(generationFinished, finishedEvent({ ...row, status: settling }));
  const ended = await deps.writes.update(row, {
    status: settling,
    step: isNotified ? "notify" : after,
    nextStepAt: isNotified ? addMs(now, CONFIRM_WITHIN_MS) : after === "done" ? null : now,
    leaseUntil: null,
    failures: 0,
    completedAt: now,
    ...(settling === "success" ? { progress: 100 } : {}),
  });
  if (!ended) return;
  deps.completions.complete(row.id);
  await recordDuration(deps, ended);
  deps.metrics.ended.inc({ kind: row.kind, status: settling, code: ended.errorCode ?? "" });
`,
    test: ENGINE_TEST,
  },
  {
    guard: "a submit of unknown outcome is not sent again",
    file: SUBMIT,
    old: "if (row.submitToken !== null) return resolveSubmit(deps, row, row.submitToken, signal);",
    new: "",
    test: ENGINE_TEST,
  },
  {
    guard: "money moves before the end is visible",
    file: SETTLE,
    old: `if (settling === "success") await deps.billing.capture({ hold: holdOf(row) });
  else await releaseHeld(deps, row);`,
    new: `if (settling === "success") void deps.billing.capture({ hold: holdOf(row) }).catch(() => {});
  else void releaseHeld(deps, row).catch(() => {});`,
    test: ENGINE_TEST,
  },
  {
    guard: "a submit is not sent late",
    file: "services/generation/worker/steps/send-job.ts",
    old: `  if (submitLeftMs <= 0) return { kind: "unknown" };
`,
    new: "",
    test: ENGINE_TEST,
  },
  {
    guard: "absent is not certain while a submit may be on its way",
    file: "services/generation/upstreams/find-job.ts",
    old: 'return found.kind === "absent" && afterMs > 0 ? { kind: "early", afterMs } : found;',
    new: "return found;",
    test: FAILOVER_TEST,
  },
  {
    guard: "a lost answer is not a certain rejection",
    file: OUTCOME,
    old: `if (outcome.kind === "lost") return { kind: "unknown" };
  const { answer } = outcome;
  if (answer.status < 200 || answer.status >= 300) return read`,
    new: `if (outcome.kind === "lost") return { kind: "rejected", fault: "unavailable" };
  const { answer } = outcome;
  if (answer.status < 200 || answer.status >= 300) return read`,
    test: ARK_TEST,
  },
  {
    guard: "a 5xx is not a certain rejection",
    file: OUTCOME,
    old: 'if (status >= 500 || status === 408 || status < 300) return { kind: "unknown" };',
    new: 'if (status < 300) return { kind: "unknown" };',
    test: ARK_TEST,
  },
  {
    guard: "an account's limit of tasks at upstreams",
    file: SLOTS,
    old: "const shares = fairShare(accounts.map(wantedBy), slots.length);",
    new: "const shares = fairShare(accounts.map(() => 1_000), slots.length);",
    test: SLOTS_TEST,
  },
  {
    guard: "a job accepted after its cancel is stopped upstream",
    file: RECORD_ACCEPTED,
    old: "await cancelUnlessNeeded(deps, row, upstream, upstreamId);",
    new: "",
    test: CANCEL_VIDEO_TEST,
  },
  {
    guard: "the job of an accepted task is written until it is stored",
    file: RECORD_ACCEPTED,
    old: "await writeKnown(deps, row, deps.deadline, () => deps.writes.insertSubmit(job));",
    new: "await deps.writes.insertSubmit(job);",
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "an upstream's refusal is written until it is stored",
    file: SUBMIT,
    old: "return writeKnown(deps, row, signal, () => decideFailed(deps, row, answer.failure));",
    new: "return decideFailed(deps, row, answer.failure);",
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "a certain rejection clears the token though no other upstream could be tried",
    file: TRY_UPSTREAMS,
    old: `({ row, upstream } = moved);
    } catch (error) {
      return withoutJob(deps, row, pauseMs, error);`,
    new: `({ row, upstream } = moved);
    } catch (error) {
      throw error;`,
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "an intent that may have been written leaves no token",
    file: TRY_UPSTREAMS,
    old: `// It may have been written, and nothing was sent.
      return withoutJob(deps, row, pauseMs, error);`,
    new: "throw error;",
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "a certain rejection is written until it is stored",
    file: SUBMIT,
    old: `return writeKnown(deps, row, signal, () =>
        reschedule(deps, outcome.row, outcome.pauseMs, change),
      );`,
    new: "return reschedule(deps, outcome.row, outcome.pauseMs, change);",
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "a worker does not hold on to what it cannot write",
    file: "services/generation/worker/steps/write-known.ts",
    old: "if (signal.aborted || deps.clock.now() >= giveUpAt) throw error;",
    new: "if (deps.clock.now() >= giveUpAt) throw error;",
    test: KNOWN_ANSWER_TEST,
  },
  {
    guard: "an upstream's concurrency limit",
    file: CAPACITY,
    old: "const upstream = upstreams.find((one) => !isFull(one) && !isRateLimited(one));",
    new: "const upstream = upstreams.find((one) => !isRateLimited(one));",
    test: SLOTS_TEST,
  },
  {
    guard: "an upstream's submit rate",
    file: CAPACITY,
    old: "const upstream = upstreams.find((one) => !isFull(one) && !isRateLimited(one));",
    new: "const upstream = upstreams.find((one) => !isFull(one));",
    test: SLOTS_TEST,
  },
  {
    guard: "an image call that was cut off is not repeated",
    file: RESOLVE_SUBMIT,
    old: "if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);",
    new: "",
    test: IMAGE_CUT_OFF_TEST,
  },
  {
    guard: "an image whose worker is only paused is waited for",
    file: RESOLVE_IMAGE,
    old: "noCopyRuns && now >= addMs(goneSince, WAIT_FOR_WORKER_MS)",
    new: "noCopyRuns",
    test: IMAGE_CUT_OFF_TEST,
  },
  {
    guard: "an unconfirmed event is delivered by RPC",
    file: SETTLE,
    old: 'step: isNotified ? "notify" : after,',
    new: "step: after,",
    test: ENGINE_TEST,
  },
  {
    guard: "nothing is sent after a pause while connecting",
    file: SEND_ONCE,
    old: "isSent || (isSent = timeLeft())",
    new: "isSent || (isSent = true)",
    test: HTTP_TEST,
  },
  {
    guard: "the key stays at its origin",
    file: HTTP,
    old: 'if (isWhole && !isOwnOrigin(call.path)) throw new Error("the upstream named a foreign address");',
    new: "",
    test: HTTP_TEST,
  },
];
