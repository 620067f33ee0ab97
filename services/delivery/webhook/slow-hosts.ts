/** The hosts that were slow most recently: their slots take one delivery at a time. */

const MAX_HOSTS = 256;

export type SlowHosts = {
  /** Records whether the host was slow the last time. */
  note: (host: string, isSlow: boolean) => void;
  list: () => string[];
};

/** Remembers up to 256 hosts; the one noted longest ago is dropped first. */
export function slowHosts(): SlowHosts {
  const hosts = new Set<string>();
  return {
    note(host, isSlow) {
      hosts.delete(host);
      if (!isSlow) return;
      hosts.add(host);
      const [oldest] = hosts;
      if (hosts.size > MAX_HOSTS && oldest !== undefined) hosts.delete(oldest);
    },
    list: () => [...hosts],
  };
}
