/** What the tests of a file, or of a `describe`, share. */
import { afterAll, beforeAll } from "vitest";

/** Made before the first of the tests, empty until then, and disposed of after the last. */
export function forTests<T extends AsyncDisposable>(make: () => T | Promise<T>): T {
  const shared: Partial<T> = {};
  beforeAll(async () => void Object.assign(shared, await make()));
  afterAll(() => shared[Symbol.asyncDispose]?.());
  return shared as T;
}
