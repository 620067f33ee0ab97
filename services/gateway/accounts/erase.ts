/** Erases accounts and users whose deletion can no longer be undone: what is left of them has numbers and no names. */
import type { CallOptions } from "@connectrpc/connect";
import { DAY_MS, MINUTE_MS, addMs } from "#runtime/clock.ts";
import type { Base } from "#runtime/service/service.ts";
import * as store from "../store/store.ts";

/** How long a deletion can be undone. */
export const UNDO_MS = 30 * DAY_MS;
/** Longer than clocks of replicas differ and than a transaction lasts: nothing is undone that is being erased. */
const ERASE_AFTER_MS = UNDO_MS + MINUTE_MS;
const PER_TURN = 1_000;
const ROWS_PER_STATEMENT = 1_000;

/** A client of another service, which has something of the account. */
type Eraser = {
  eraseAccount: (of: { accountId: string }, options: CallOptions) => Promise<{ done: boolean }>;
};

export type EraseDeps = Pick<Base, "sql" | "clock" | "log"> &
  Record<"generation" | "billing" | "delivery", Eraser>;

/**
 * Does a limited part of the work on each account; the next turn goes on. Returns early when `signal` aborts. Two processes
 * can do the same work at once without harm.
 */
export async function eraseDeleted(deps: EraseDeps, signal?: AbortSignal): Promise<void> {
  const { sql, clock, log } = deps;
  const before = addMs(clock.now(), -ERASE_AFTER_MS);
  const each = async (ids: readonly string[], erase: (id: string) => Promise<void>) => {
    for (const id of ids) {
      if (signal?.aborted) return;
      await erase(id).catch((error: unknown) =>
        log.error({ err: error }, "erasing a deleted account or user failed, tried again"),
      );
    }
  };
  await each(await store.listAccountsToErase(sql, before, PER_TURN), (id) =>
    eraseAccount(deps, id, signal),
  );
  await each(await store.listUsersToErase(sql, before, PER_TURN), (id) =>
    eraseUser(deps, id, signal),
  );
}

/** One service after another, each only when nothing is left at those before; the gateway's own rows last. */
async function eraseAccount(deps: EraseDeps, accountId: string, signal?: AbortSignal) {
  const { sql, clock, log } = deps;
  const options = signal ? { signal } : {};
  for (const service of [deps.generation, deps.billing, deps.delivery]) {
    if (!(await service.eraseAccount({ accountId }, options)).done) return;
  }
  let isErased = false;
  while (!isErased && !signal?.aborted) {
    isErased = await store.eraseAccountIfDeleted(sql, accountId, clock.now(), ROWS_PER_STATEMENT);
  }
  if (isErased) log.info({ account_id: accountId }, "deleted account erased");
}

/** The user's row goes last: until then the whole is repeated at the next turn. */
async function eraseUser({ sql, log }: EraseDeps, userId: string, signal?: AbortSignal) {
  let after: store.ForgottenUpTo | undefined = { accountId: "", id: "" };
  while (after && !signal?.aborted) {
    after = await store.forgetUser(sql, userId, after, ROWS_PER_STATEMENT);
  }
  if (signal?.aborted) return;
  await store.deleteUserIfDeleted(sql, userId);
  log.info({}, "deleted user erased");
}
