/** Counts the bytes that clients have sent and that are in memory. */
import { Problem } from "./problem.ts";

/** What all clients, and one account, have sent and is in memory: ten, and three, of the largest files. */
const MAX_BYTES = 200_000_000;
const MAX_ACCOUNT_BYTES = 60_000_000;
/** The first bytes of each body are not counted, so that what has no file is read whatever others send. */
const FREE_BYTES = 64 * 1024;

/** The bytes of one request that are in memory. */
export type HeldBytes = {
  /** Counts bytes that were read. Throws when there is no memory left. */
  add: (bytes: number) => void;
  /** The bytes are stored elsewhere, or dropped. */
  release: () => void;
};

/** Counts what clients have sent and is in memory, by account. */
export type UploadMemory = { hold: (accountId: string) => HeldBytes };

export function uploadMemory(): UploadMemory {
  const byAccount = new Map<string, number>();
  let total = 0;
  const change = (accountId: string, bytes: number) => {
    total += bytes;
    const held = (byAccount.get(accountId) ?? 0) + bytes;
    if (held === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, held);
  };
  return {
    hold(accountId) {
      let read = 0;
      let counted = 0;
      return {
        add(bytes) {
          read += bytes;
          const more = Math.max(0, read - FREE_BYTES) - counted;
          const own = byAccount.get(accountId) ?? 0;
          if (more > 0 && (total + more > MAX_BYTES || own + more > MAX_ACCOUNT_BYTES)) {
            throw tooMany();
          }
          change(accountId, more);
          counted += more;
        },
        release() {
          change(accountId, -counted);
          counted = 0;
        },
      };
    },
  };
}

function tooMany(): Problem {
  return new Problem("unavailable", {
    message: "Too many files are being sent at this moment. Send this one again.",
  });
}
