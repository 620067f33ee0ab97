/** The guards of generation, the worker included, and the tests that need them. */
import { generationWorker } from "./generation-worker.ts";
import type { Mutation } from "./mutation.ts";

const CIRCUIT = "services/generation/upstreams/circuit.ts";
const CALLBACK = "services/generation/domain/callback.ts";
const GENERATION = "services/generation/domain/generation.ts";
const SAME_REQUEST = "services/generation/domain/same-request.ts";
const ACKNOWLEDGE_CREATE = "services/generation/rpc/acknowledge-create.ts";
const CANCEL_VIDEO = "services/generation/rpc/cancel-video.ts";
const RECEIVE_CALLBACK = "services/generation/rpc/callbacks.ts";
const RESUME_EXISTING = "services/generation/rpc/resume-existing.ts";
const CANCELS = "services/generation/store/cancels.ts";
const FIND_GENERATION = "services/generation/store/find-generation.ts";
const GENERATIONS = "services/generation/store/generations.ts";
const LISTS = "services/generation/store/lists.ts";
const STEPS = "services/generation/store/steps.ts";
const TASKS = "services/generation/store/tasks.ts";
const USAGE = "services/generation/store/usage.ts";

const CALLBACKS_TEST = "test/generation/rpc/callbacks.test.ts";
const CANCEL_VIDEO_TEST = "test/generation/rpc/cancel-video.test.ts";
const DELETE_GENERATION_TEST = "test/generation/rpc/delete-generation.test.ts";
const CHOOSE_TEST = "test/generation/upstreams/choose.test.ts";
const CREATE_CRASH_TEST = "test/generation/rpc/create-crash.test.ts";
const CREATE_TAKEOVER_TEST = "test/generation/rpc/create-takeover.test.ts";
const CREATE_VIDEO_TEST = "test/generation/rpc/create-video.test.ts";
const DECIDED_ONCE_TEST = "test/generation/worker/decided-once.test.ts";
const ENGINE_TEST = "test/generation/worker/engine.test.ts";
const FILES_GIVEN_BACK_TEST = "test/generation/rpc/files-given-back.test.ts";
const GET_USAGE_TEST = "test/generation/rpc/get-usage.test.ts";
const LEASE_TEST = "test/generation/worker/lease.test.ts";
const LIST_GENERATIONS_TEST = "test/generation/rpc/list-generations.test.ts";
const SLOT_LOCKS = "services/generation/store/slot-locks.ts";
const SLOT_LOCK_TEST = "test/generation/worker/slot-lock.test.ts";
const TASKS_TEST = "test/generation/rpc/tasks.test.ts";

export const generation: readonly Mutation[] = [
  ...generationWorker,
  {
    guard: "a search looks at a limited number of generations",
    file: "services/generation/rpc/search-generations.ts",
    old: "isSearch ? MAX_LOOKED_AT : limit + 1",
    new: "isSearch ? 1_000_000 : limit + 1",
    test: "test/generation/store/lists.test.ts",
  },
  {
    guard: "a worker decides only where nothing is decided",
    file: STEPS,
    old: "sql`and g.settling is null`",
    new: "sql``",
    test: DECIDED_ONCE_TEST,
  },
  {
    guard: "a cancel decides only where nothing is decided",
    file: CANCELS,
    old: "and settling is null and ${isOpen}",
    new: "and ${isOpen}",
    test: DECIDED_ONCE_TEST,
  },
  {
    guard: "an operator decides only where nothing is decided",
    file: TASKS,
    old: "and id = ${row.id} and settling is null\n",
    new: "and id = ${row.id}\n",
    test: DECIDED_ONCE_TEST,
  },
  {
    guard: "a replay compares webhook_url",
    file: SAME_REQUEST,
    old: "new Set([...Object.keys(row.input), ...Object.keys(retried)])",
    new: 'new Set([...Object.keys(row.input), ...Object.keys(retried)].filter((field) => field !== "webhook_url"))',
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "a replay compares metadata",
    file: SAME_REQUEST,
    old: "new Set([...Object.keys(row.input), ...Object.keys(retried)])",
    new: 'new Set([...Object.keys(row.input), ...Object.keys(retried)].filter((field) => field !== "metadata"))',
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "an unclear reserve schedules a release",
    file: ACKNOWLEDGE_CREATE,
    old: "await voidCreate(deps, row, deps.clock.now());",
    new: "await voidCreate(deps, row, deletionOfUndone(row));",
    test: CREATE_TAKEOVER_TEST,
  },
  {
    guard: "the writes of a create are fenced",
    file: STEPS,
    old: "and g.fence = c.fence ${guard}",
    new: "${guard}",
    test: CREATE_TAKEOVER_TEST,
  },
  {
    guard: "a retry waits for a create that is at work",
    file: RESUME_EXISTING,
    old: 'return row.step === "reserve" && row.leaseUntil !== null && row.leaseUntil > now;',
    new: "return false;",
    test: CREATE_TAKEOVER_TEST,
  },
  {
    guard: "a create with the id of a deleted generation is refused",
    file: RESUME_EXISTING,
    old: "  if (row.deletedAt) throw deleted();\n",
    new: "",
    test: DELETE_GENERATION_TEST,
  },
  {
    guard: "only what has ended is deleted",
    file: "services/generation/rpc/delete-generation.ts",
    old: "    if (row.completedAt === null) throw notFinished(row);\n",
    new: "",
    test: DELETE_GENERATION_TEST,
  },
  {
    guard: "delivery deletes before the row forgets what there is to delete",
    file: "services/generation/worker/steps/after-end.ts",
    old: "  await deps.delivery.deleteGeneration({ accountId, generationId }, { signal });\n",
    new: "  void deps.delivery.deleteGeneration({ accountId, generationId }, { signal }).catch(() => {});\n",
    test: DELETE_GENERATION_TEST,
  },
  {
    guard: "a retry does not continue a create that is at work",
    file: GENERATIONS,
    old: "\n      and lease_until <= ${at}\n    returning",
    new: `
    returning`,
    test: CREATE_TAKEOVER_TEST,
  },
  {
    guard: "a worker's write is fenced",
    file: STEPS,
    old: "and g.fence = c.fence ${guard}",
    new: "${guard}",
    test: ENGINE_TEST,
  },
  {
    guard: "a claim raises the fence",
    file: STEPS,
    old: "set fence = g.fence + 1, lease_until",
    new: "set lease_until",
    test: ENGINE_TEST,
  },
  {
    guard: "a leased row is not claimed",
    file: STEPS,
    old: "and (lease_until is null or lease_until <= ${at})\n",
    new: `
`,
    test: LEASE_TEST,
  },
  {
    guard: "workers skip each other's rows",
    file: STEPS,
    old: `
      for update skip locked
`,
    new: `
`,
    test: LEASE_TEST,
  },
  {
    guard: "a replay compares the model",
    file: SAME_REQUEST,
    old: `  if (row.model !== modelId) return "model";
`,
    new: "",
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "a defaulted field keeps its stored value in a replay",
    file: SAME_REQUEST,
    old: "if (row.defaulted.includes(field) && row.input[field] !== undefined) {",
    new: "if (false) {",
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "an account's slots are assigned by one worker at a time",
    file: SLOT_LOCKS,
    old: "where pg_try_advisory_xact_lock(hashtextextended('slots of account ' || account_id, 0))",
    new: "where true",
    test: SLOT_LOCK_TEST,
  },
  {
    guard: "a credential's slots are assigned by one worker at a time",
    file: SLOT_LOCKS,
    old: "return row?.isLocked ?? true;",
    new: "return true;",
    test: SLOT_LOCK_TEST,
  },
  {
    guard: "a lease renewal is fenced",
    file: STEPS,
    old: "and id = ${row.id} and fence = ${row.fence.toString()}\n      and lease_until is not null`",
    new: "and id = ${row.id}\n      and lease_until is not null`",
    test: LEASE_TEST,
  },
  {
    guard: "a generation belongs to one account, mode and kind",
    file: FIND_GENERATION,
    old: "const isAtAddress = row?.status && row.mode === address.mode && row.kind === address.kind;",
    new: "const isAtAddress = row?.status;",
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "a callback's token is signed",
    file: CALLBACK,
    old: "if (!timingSafeEqual(given, expected)) return undefined;",
    new: "",
    test: CALLBACKS_TEST,
  },
  {
    guard: "a callback's job is its own",
    file: RECEIVE_CALLBACK,
    old: "  if (!isOwnJob) {",
    new: "  if (false) {",
    test: CALLBACKS_TEST,
  },
  {
    guard: "only a certain stop cancels",
    file: CANCEL_VIDEO,
    old: `  if (!isStopped) return undefined;
`,
    new: "",
    test: CANCEL_VIDEO_TEST,
  },
  {
    guard: "a cancel takes the row from its worker",
    file: CANCELS,
    old: `failures = 0, fence = fence + 1, lease_until = null,
`,
    new: `failures = 0, lease_until = null,
`,
    test: DECIDED_ONCE_TEST,
  },
  {
    guard: "a canceled submit of unknown outcome is looked for",
    file: GENERATION,
    old: 'return status !== "success" && row.submitToken !== null ? "stop" : "done";',
    new: 'return "done";',
    test: CANCEL_VIDEO_TEST,
  },
  {
    guard: "an operator's failure takes the row from its worker",
    file: TASKS,
    old: "failures = 0, fence = fence + 1, lease_until = null,",
    new: "failures = 0, lease_until = null,",
    test: TASKS_TEST,
  },
  {
    guard: "only an undelivered end is confirmed",
    file: GENERATIONS,
    old: "and id = ${id} and step = 'notify'`",
    new: "and id = ${id}`",
    test: DECIDED_ONCE_TEST,
  },
  {
    guard: "a voided create's hold is released before its row is reused",
    file: RESUME_EXISTING,
    old: `  await releaseHeld(deps, existing);
`,
    new: "",
    test: CREATE_CRASH_TEST,
  },
  {
    guard: "a create whose row is reused gives its files back",
    file: "services/generation/holds/release-held.ts",
    old: "if (storedUrls(row).length === 0) return;",
    new: "return;",
    test: FILES_GIVEN_BACK_TEST,
  },
  {
    guard: "a refused create gives its files back at once",
    file: ACKNOWLEDGE_CREATE,
    old: "storedUrls(row).length > 0 ? deps.clock.now() : deletionOfUndone(row);",
    new: "deletionOfUndone(row);",
    test: FILES_GIVEN_BACK_TEST,
  },
  {
    guard: "a reused row has the next hold",
    file: GENERATIONS,
    old: "attempt = attempt + 1, step = 'reserve'",
    new: "step = 'reserve'",
    test: CREATE_VIDEO_TEST,
  },
  {
    guard: "a customer's slow host does not count as the upstream's failure",
    file: CIRCUIT,
    old: "isJudged(job) ? send(job, signal)",
    new: "job ? send(job, signal)",
    test: CHOOSE_TEST,
  },
  {
    guard: "an event has nothing that its account may delete",
    file: GENERATION,
    old: "generation: { id, accountId, mode, kind, status },",
    new: "generation: toGeneration(row),",
    test: ENGINE_TEST,
  },
  {
    guard: "lists are of one mode",
    file: LISTS,
    old: "and mode = ${page.mode} and kind",
    new: "and kind",
    test: LIST_GENERATIONS_TEST,
  },
  {
    guard: "usage is of one mode",
    file: USAGE,
    old: "and mode = ${mode} and status = 'success'\n      and completed_at >= ${from} and completed_at < ${to}\n    group by 1, 2",
    new: "and status = 'success'\n      and completed_at >= ${from} and completed_at < ${to}\n    group by 1, 2",
    test: GET_USAGE_TEST,
  },
];
