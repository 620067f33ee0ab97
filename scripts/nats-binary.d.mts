/** Types of nats-binary.mjs for TypeScript. */
export type Source = {
  name: string;
  folder: string;
  fetch(work: string): Promise<string>;
};

export type Release = { version: string; base: string; sha256: Record<string, string> };

export const RELEASE: Release;

type SearchOptions = { root?: string; env?: NodeJS.ProcessEnv; morePath?: string[] };

export function locateNatsServer(options?: SearchOptions): string | undefined;

export function ensureNatsServer(
  options?: SearchOptions & { say?: (line: string) => void; sources?: Source[] },
): Promise<string>;

export function officialRelease(options?: { release?: Release; platform?: string }): Source;

export function debianPackage(): Source;
