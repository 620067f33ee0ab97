/** The guards of generation, those of `store/` among them, such as the worker's fence, and the tests that need them. */
import { generationWorker } from "./generation-worker.ts";
import { guards, type Mutation } from "./mutation.ts";

const CIRCUIT = "services/generation/upstreams/circuit.ts";
const CALLBACK = "services/generation/domain/callback.ts";
const GENERATION = "services/generation/domain/generation.ts";
const SAME_REQUEST = "services/generation/domain/same-request.ts";
const ACKNOWLEDGE_CREATE = "services/generation/rpc/acknowledge-create.ts";
const CANCEL_GENERATION = "services/generation/rpc/cancel-generation.ts";
const RECEIVE_CALLBACK = "services/generation/rpc/callbacks.ts";
const RESUME_EXISTING = "services/generation/rpc/resume-existing.ts";
const CANCELS = "services/generation/store/cancels.ts";
const FIND_GENERATION = "services/generation/store/find-generation.ts";
const CREATES = "services/generation/store/creates.ts";
const DELETIONS = "services/generation/store/deletions.ts";
const ENDS = "services/generation/store/ends.ts";
const LISTS = "services/generation/store/lists.ts";
const STEPS = "services/generation/store/steps.ts";
const TASKS = "services/generation/store/tasks.ts";
const USAGE = "services/generation/store/usage.ts";

const CALLBACKS_TEST = "test/generation/rpc/callbacks.test.ts";
const CANCEL_GENERATION_TEST = "test/generation/rpc/cancel-generation.test.ts";
const DELETE_GENERATION_TEST = "test/generation/rpc/delete-generation.test.ts";
const CHOOSE_TEST = "test/generation/upstreams/choose.test.ts";
const CREATE_CRASH_TEST = "test/generation/rpc/create-crash.test.ts";
const CREATE_TAKEOVER_TEST = "test/generation/rpc/create-takeover.test.ts";
const CREATE_VIDEO_TEST = "test/generation/rpc/create-video.test.ts";
const DECIDED_ONCE_TEST = "test/generation/worker/decided-once.test.ts";
const ENGINE_TEST = "test/generation/worker/engine.test.ts";
const ERASE_JOB_TEST = "test/generation/worker/erase-job.test.ts";
const FILES_GIVEN_BACK_TEST = "test/generation/rpc/files-given-back.test.ts";
const GET_USAGE_TEST = "test/generation/rpc/get-usage.test.ts";
const LEASE_TEST = "test/generation/worker/lease.test.ts";
const LIST_GENERATIONS_TEST = "test/generation/rpc/list-generations.test.ts";
const SLOT_LOCKS = "services/generation/store/slot-locks.ts";
const SLOT_LOCK_TEST = "test/generation/worker/slot-lock.test.ts";
const TASKS_TEST = "test/generation/rpc/tasks.test.ts";

export const generation: readonly Mutation[] = [
  ...generationWorker,
  ...guards(
    "services/generation/rpc/search-generations.ts",
    "test/generation/store/lists.test.ts",
    {
      "a search looks at a limited number of generations": ["? MAX_LOOKED_AT :", "? 1_000_000 :"],
    },
  ),
  ...guards(STEPS, DECIDED_ONCE_TEST, {
    "a worker decides only where nothing is decided": "and t.settling is null",
  }),
  ...guards(CANCELS, DECIDED_ONCE_TEST, {
    "a cancel decides only where nothing is decided": "and ${isOpen}",
    "a cancel takes the row from its worker": "fence = t.fence + 1,",
  }),
  ...guards(TASKS, DECIDED_ONCE_TEST, {
    "an operator decides only where nothing is decided":
      "and t.step in ('queue', 'submit', 'poll')",
  }),
  ...guards(SAME_REQUEST, CREATE_VIDEO_TEST, {
    "a replay compares webhook_url": [
      "new Set([...Object.keys(row.input), ...Object.keys(retried)])",
      'new Set([...Object.keys(row.input), ...Object.keys(retried)].filter((field) => field !== "webhook_url"))',
    ],
    "a replay compares metadata": [
      "new Set([...Object.keys(row.input), ...Object.keys(retried)])",
      'new Set([...Object.keys(row.input), ...Object.keys(retried)].filter((field) => field !== "metadata"))',
    ],
    "a replay compares the model": 'if (row.model !== modelId) return "model";',
    "a defaulted field keeps its stored value in a replay": [
      "if (row.defaulted.includes(field) && row.input[field] !== undefined) {",
      "if (false) {",
    ],
  }),
  ...guards(ACKNOWLEDGE_CREATE, CREATE_TAKEOVER_TEST, {
    "an unclear reserve schedules a release": [
      "await voidCreate(deps, row, deps.clock.now());",
      "await voidCreate(deps, row, deletionOfUndone(row));",
    ],
  }),
  ...guards(CREATES, CREATE_TAKEOVER_TEST, {
    "an acknowledgement is fenced": "and t.fence = c.fence",
  }),
  ...guards(CREATES, CREATE_VIDEO_TEST, {
    "a create whose generation has ended makes no task": [
      "where g.account_id = it.account_id and g.id = it.id)",
      "where g.account_id = it.account_id and g.id = it.id and g.completed_at is null)",
    ],
  }),
  ...guards("services/generation/store/content-retention.ts", ERASE_JOB_TEST, {
    "content is kept until its end has been delivered": [
      "return sql`not exists (select from generation.tasks t where t.account_id = g.account_id and t.id = g.id)`;",
      "return sql`true`;",
    ],
  }),
  ...guards(DELETIONS, DELETE_GENERATION_TEST, {
    "the task of a deletion has a higher fence than the one before it": [
      "created_at, ${at.getTime()}::bigint",
      "created_at, 1",
    ],
  }),
  ...guards(RESUME_EXISTING, CREATE_TAKEOVER_TEST, {
    "a retry waits for a create that is at work": [
      'return row.step === "reserve" && row.leaseUntil !== null && row.leaseUntil > now;',
      "return false;",
    ],
  }),
  ...guards(RESUME_EXISTING, DELETE_GENERATION_TEST, {
    "a create with the id of a deleted generation is refused":
      "if (row.deletedAt) throw deleted();",
  }),
  ...guards("services/generation/rpc/delete-generation.ts", DELETE_GENERATION_TEST, {
    "only what has ended is deleted": "if (row.completedAt === null) throw notFinished();",
  }),
  ...guards("services/generation/worker/steps/after-end.ts", DELETE_GENERATION_TEST, {
    "delivery deletes before the row forgets what there is to delete": [
      "await deps.delivery.deleteGeneration({ accountId, generationId }, { signal });",
      "void deps.delivery.deleteGeneration({ accountId, generationId }, { signal }).catch(() => {});",
    ],
  }),
  ...guards(CREATES, CREATE_TAKEOVER_TEST, {
    "a retry does not continue a create that is at work": "and lease_until <= ${at}",
  }),
  ...guards(STEPS, DECIDED_ONCE_TEST, {
    "a worker's write is fenced": ["and t.fence = c.fence ${guard}", "${guard}"],
  }),
  ...guards(STEPS, ENGINE_TEST, {
    "a claim raises the fence": "fence = t.fence + 1,",
  }),
  ...guards(STEPS, LEASE_TEST, {
    "a leased row is not claimed": "and (lease_until is null or lease_until <= ${at})",
    "workers skip each other's rows": [
      `
      for update skip locked
`,
      `
`,
    ],
    "a lease renewal is fenced": "and fence = ${row.fence.toString()}",
  }),
  ...guards(SLOT_LOCKS, SLOT_LOCK_TEST, {
    "an account's slots are assigned by one worker at a time": [
      "where pg_try_advisory_xact_lock(hashtextextended('slots of account ' || account_id, 0))",
      "where true",
    ],
    "a credential's slots are assigned by one worker at a time": "row?.isLocked ??",
  }),
  ...guards(FIND_GENERATION, CREATE_VIDEO_TEST, {
    "a generation belongs to one account, mode and kind":
      "&& row.mode === address.mode && row.kind === address.kind",
  }),
  ...guards(CALLBACK, CALLBACKS_TEST, {
    "a callback's token is signed": "if (!timingSafeEqual(given, expected)) return undefined;",
  }),
  ...guards(RECEIVE_CALLBACK, CALLBACKS_TEST, {
    "a callback's job is its own": ["  if (!isOwnJob) {", "  if (false) {"],
  }),
  ...guards(CANCEL_GENERATION, CANCEL_GENERATION_TEST, {
    "only a certain stop cancels": "if (!isStopped) return undefined;",
  }),
  ...guards(CANCELS, CANCEL_GENERATION_TEST, {
    "an image that may be made already is not canceled":
      "and (t.kind = 'video' or t.submit_token is null)",
  }),
  ...guards(GENERATION, CANCEL_GENERATION_TEST, {
    "a canceled submit of unknown outcome is looked for":
      'status !== "success" && row.submitToken !== null ? "stop" :',
  }),
  ...guards(TASKS, TASKS_TEST, {
    "an operator's failure takes the row from its worker": "fence = t.fence + 1,",
  }),
  ...guards(ENDS, ENGINE_TEST, {
    "a worker that hands an end over keeps the row meanwhile": [
      "lease_until = case c.step when 'notify' then t.lease_until end",
      "lease_until = null",
    ],
  }),
  ...guards(ENDS, DELETE_GENERATION_TEST, {
    "an end that is accepted late does not undo a deletion":
      "and step = ${row.step} and fence = ${row.fence.toString()}",
  }),
  ...guards(RESUME_EXISTING, CREATE_CRASH_TEST, {
    "a voided create's hold is released before its row is reused":
      "await releaseHeld(deps, existing);",
  }),
  ...guards("services/generation/holds/release-held.ts", FILES_GIVEN_BACK_TEST, {
    "a create whose row is reused gives its files back": "if (storedUrls(row).length === 0)",
  }),
  ...guards(ACKNOWLEDGE_CREATE, FILES_GIVEN_BACK_TEST, {
    "a refused create gives its files back at once":
      "storedUrls(row).length > 0 ? deps.clock.now() :",
  }),
  ...guards(CREATES, CREATE_VIDEO_TEST, {
    "a reused row has the next hold": "attempt = attempt + 1,",
  }),
  ...guards(CIRCUIT, CHOOSE_TEST, {
    "a customer's slow host does not count as the upstream's failure": [
      "provider.takesBytes || !namesUrls(job) || undefined",
      "true",
    ],
  }),
  ...guards(GENERATION, ENGINE_TEST, {
    "an event has nothing that its account may delete": [
      "generation: { id, accountId, mode, kind, status },",
      "generation: toGeneration(row),",
    ],
  }),
  ...guards(LISTS, LIST_GENERATIONS_TEST, {
    "lists are of one mode": "and mode = ${page.mode}",
  }),
  ...guards(USAGE, GET_USAGE_TEST, {
    "usage is of one mode": [
      `and mode = \${mode} and status = 'success'
      and completed_at >= \${from} and completed_at < \${to}
    group by 1, 2`,
      `and status = 'success'
      and completed_at >= \${from} and completed_at < \${to}
    group by 1, 2`,
    ],
  }),
];
