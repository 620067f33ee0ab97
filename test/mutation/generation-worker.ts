/** The guards of the worker's steps and of what it sends to upstreams, and the tests that need them. Its updates: generation.ts. */
import { guards, type Mutation } from "./mutation.ts";

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

const CANCEL_GENERATION_TEST = "test/generation/rpc/cancel-generation.test.ts";
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
  ...guards(RUN_TASK, LEASE_TEST, {
    "a worker renews its lease": ["= keepLease(deps, claimed, ended);", "= Promise.resolve();"],
    "a lost lease aborts the step": ["if (!isHeld) ended.abort();", "if (!isHeld) return;"],
  }),
  ...guards(TRY_UPSTREAMS, ENGINE_TEST, {
    "nothing is submitted after the queue deadline":
      'if (deps.clock.now() >= queueDeadlineOf(deps, row)) return { kind: "late", row };',
  }),
  ...guards(TRY_UPSTREAMS, FAILOVER_TEST, {
    "a task is not sent to an upstream that cannot make it": [
      "  if (!canServe(upstream, input)) {",
      "  if (upstream.name === row.id) {",
    ],
    "failover passes over an upstream that cannot make the task": "&& canServe(one, input)",
  }),
  ...guards(RULES, RULES_TEST, {
    "only a documented 5xx is a certain rejection":
      "answer.status >= 500 ? rules.filter((rule) => rule.isCertainAt5xx) :",
  }),
  ...guards(
    "services/generation/providers/shared/prompt.ts",
    "test/generation/providers/dashscope.test.ts",
    {
      "a negative prompt that does not fit its field is not cut":
        "if (negativePrompt.length <= max.negativePrompt)",
    },
  ),
  ...guards(POLL, POLL_TEST, {
    "a job is gone only after its upstream has not known it for a minute": [
      "return goneSince !== null && clock.now() >= addMs(goneSince, GONE_AFTER_MS);",
      "return true;",
    ],
    "a job that was seen again is not gone": ", goneSince: null",
    "the wait asked for in answer to a refused poll": "if (retryAfterMs === undefined)",
    "the wait asked for in answer to a poll of a running job": [
      "Math.max(plannedMs, postponedMs(polled.retryAfterMs ?? 0, random));",
      "plannedMs;",
    ],
  }),
  ...guards(
    "services/generation/upstreams/build-upstreams.ts",
    "test/generation/upstreams/choose.test.ts",
    {
      "the wait asked for in answer to a poll holds for the account":
        "if (leftMs > 0) throw new PollPausedError(leftMs);",
    },
  ),
  ...guards(BULKHEADS, BULKHEADS_TEST, {
    "upstreams that hang leave slots to the others": [
      "Math.max(1, Math.floor((concurrency - (total - countOf(credential))) / 2));",
      "Math.max(1, Math.floor(concurrency / 2));",
    ],
  }),
  ...guards("services/generation/worker/claim-work.ts", BULKHEADS_TEST, {
    "one claim of due rows keeps to the shares of credentials": [
      "if (isUpstreamWork && shares.free(credential) < 1) beyond",
      "if (false) beyond",
    ],
  }),
  ...guards(SLOTS, PICTURES_TEST, {
    "an account gets no more slots than tasks that may fetch their pictures":
      "mayFetch ? Math.min(free, deps.pictures.freeSlots(accountId)) :",
  }),
  ...guards(TRY_UPSTREAMS, PICTURES_TEST, {
    "the intent is written after the pictures were fetched": [
      `using pictures = deps.pictures.of(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];`,
      `using pictures = deps.pictures.of(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
  row = (await deps.writes.update(row, intentOf(deps, row, 0))) ?? row;`,
    ],
  }),
  ...guards(FETCH_PICTURES, PICTURES_TEST, {
    "a picture is fetched three times at most": [
      `if (pauseMs === undefined || addMs(clock.now(), pauseMs) >= giveUpAt) return undefined;
    await clock.sleep(pauseMs, signal);`,
      "await clock.sleep(pauseMs ?? 1_000, signal);",
    ],
  }),
  ...guards("services/generation/worker/pictures/fetch-input.ts", PICTURES_TEST, {
    "a delivery that is down is not the picture's fault": [
      'if (fault?.field !== "url") throw error;',
      'if (!fault) return "unreadable";',
    ],
  }),
  ...guards(BUDGET, BUDGET_TEST, {
    "an account's part of the memory for pictures":
      "|| (held.get(accountId) ?? 0) + first.bytes > limits.perAccount",
    "accounts that wait for memory get it in turn":
      "waiting.delete(accountId);\n    if (waiters.length > 0)",
    "the memory for pictures in all": "if (heldInAll + first.bytes > limits.total) return;",
  }),
  ...guards(SETTLE, ENGINE_TEST, {
    "the event is published after the end is committed": [
      "const ended = await deps.writes.end(row, {",
      `deps.bus.publish(generationFinished, finishedEvent({ ...row, status: settling }));
  const ended = await deps.writes.end(row, {`,
    ],
    "money moves before the end is visible": [
      `if (settling === "success") await deps.billing.capture({ hold: holdOf(row), tokens: charged });
  else await releaseHeld(deps, row);`,
      `if (settling === "success") void deps.billing.capture({ hold: holdOf(row), tokens: charged }).catch(() => {});
  else void releaseHeld(deps, row).catch(() => {});`,
    ],
    "an end with a webhook is handed to delivery": 'isNotified ? "notify" :',
  }),
  ...guards(SUBMIT, ENGINE_TEST, {
    "a submit of unknown outcome is not sent again":
      "if (row.submitToken !== null) return resolveSubmit(deps, row, row.submitToken, signal);",
  }),
  ...guards("services/generation/worker/steps/send-job.ts", ENGINE_TEST, {
    "a submit is not sent late": 'if (submitLeftMs <= 0) return { kind: "unknown" };',
  }),
  ...guards(OUTCOME, ARK_TEST, {
    "a lost answer is not a certain rejection": [
      'if (outcome.kind === "lost") return { kind: "unknown" };',
      'if (outcome.kind === "lost") return { kind: "rejected", fault: "unavailable" };',
    ],
    "a 5xx is not a certain rejection": "status >= 500 || status === 408 ||",
  }),
  ...guards(SLOTS, SLOTS_TEST, {
    "an account's limit of tasks at upstreams": ["map(wantedBy), slots", "map(() => 1_000), slots"],
  }),
  ...guards(RECORD_ACCEPTED, CANCEL_GENERATION_TEST, {
    "a job accepted after its cancel is stopped upstream":
      "await cancelUnlessNeeded(deps, row, upstream, upstreamId);",
  }),
  ...guards(RECORD_ACCEPTED, KNOWN_ANSWER_TEST, {
    "the job of an accepted task is written until it is stored": [
      "await writeKnown(deps, row, deps.deadline, () => deps.writes.insertSubmit(job));",
      "await deps.writes.insertSubmit(job);",
    ],
  }),
  ...guards(SUBMIT, KNOWN_ANSWER_TEST, {
    "an upstream's refusal is written until it is stored": [
      "return writeKnown(deps, row, signal, () => decideFailed(deps, row, answer.failure));",
      "return decideFailed(deps, row, answer.failure);",
    ],
    "a certain rejection is written until it is stored": [
      `return writeKnown(deps, row, signal, () =>
        reschedule(deps, outcome.row, outcome.pauseMs, change),
      );`,
      "return reschedule(deps, outcome.row, outcome.pauseMs, change);",
    ],
  }),
  ...guards(TRY_UPSTREAMS, KNOWN_ANSWER_TEST, {
    "a certain rejection clears the token though no other upstream could be tried": [
      `({ row, upstream } = moved);
    } catch (error) {
      return withoutJob(deps, row, pauseMs, error);`,
      `({ row, upstream } = moved);
    } catch (error) {
      throw error;`,
    ],
    "an intent that may have been written leaves no token": [
      `// It may have been written, and nothing was sent.
      return withoutJob(deps, row, pauseMs, error);`,
      "throw error;",
    ],
  }),
  ...guards("services/generation/worker/steps/write-known.ts", KNOWN_ANSWER_TEST, {
    "a worker does not hold on to what it cannot write": "signal.aborted ||",
  }),
  ...guards(CAPACITY, SLOTS_TEST, {
    "an upstream's concurrency limit": "!isFull(one) &&",
    "an upstream's submit rate": "&& !isRateLimited(one)",
  }),
  ...guards(RESOLVE_SUBMIT, IMAGE_CUT_OFF_TEST, {
    "an image call that was cut off is not repeated":
      "if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);",
  }),
  ...guards(RESOLVE_IMAGE, IMAGE_CUT_OFF_TEST, {
    "an image whose worker is only paused is waited for":
      "&& now >= addMs(goneSince, WAIT_FOR_WORKER_MS)",
  }),
  ...guards(SEND_ONCE, HTTP_TEST, {
    "nothing is sent after a pause while connecting": ["(isSent = timeLeft())", "(isSent = true)"],
  }),
  ...guards(HTTP, HTTP_TEST, {
    "the key stays at its origin":
      'if (isWhole && !isOwnOrigin(call.path)) throw new Error("the upstream named a foreign address");',
  }),
];
