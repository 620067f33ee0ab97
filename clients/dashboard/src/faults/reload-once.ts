/** Loads the document again when a file of it is missing, which a newer release explains; never twice in a row. */

const MARK = "media.reloaded";

export type ReloadOnce = {
  /** Starts a reload, and answers whether it did: not offline, and not when the reload before did not help. */
  isStarted: () => Promise<boolean>;
  /** A file was loaded, so the next one that is missing may cause a reload again. */
  worked: () => void;
};

type Browser = {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Whether the server answers at all. */
  isServerThere: () => Promise<boolean>;
  reload: () => void;
};

export function reloader({ storage, isServerThere, reload }: Browser): ReloadOnce {
  return {
    async isStarted() {
      if (storage.getItem(MARK) !== null || !(await isServerThere())) return false;
      storage.setItem(MARK, "1");
      reload();
      return true;
    },
    worked: () => storage.removeItem(MARK),
  };
}
