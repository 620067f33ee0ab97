/** Remembers which hosts did not answer well and at once just now: each of their lanes takes one delivery at a time. */

const MOST = 256;

export type SlowHosts = {
  note: (host: string, isSlow: boolean) => void;
  list: () => string[];
};

export function slowHosts(): SlowHosts {
  const hosts = new Set<string>();
  return {
    note(host, isSlow) {
      hosts.delete(host);
      if (!isSlow) return;
      hosts.add(host);
      const [oldest] = hosts;
      if (hosts.size > MOST && oldest !== undefined) hosts.delete(oldest);
    },
    list: () => [...hosts],
  };
}
