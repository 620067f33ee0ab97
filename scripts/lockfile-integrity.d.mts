/** The types of lockfile-integrity.mjs for tests. */
type Locked = {
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
};
export function withoutIntegrity(packages: Record<string, Locked>): string[];
