/** Remembers which hosts answered well and at once just now: their lanes may take several deliveries. */

const MOST = 256;

export type FastHosts = {
  note: (host: string, isFast: boolean) => void;
  list: () => string[];
};

export function fastHosts(): FastHosts {
  const hosts = new Set<string>();
  return {
    note(host, isFast) {
      hosts.delete(host);
      if (!isFast) return;
      hosts.add(host);
      const [oldest] = hosts;
      if (hosts.size > MOST && oldest !== undefined) hosts.delete(oldest);
    },
    list: () => [...hosts],
  };
}
