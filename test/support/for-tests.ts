/** What the tests of a file, or of a `describe`, share. */
import { afterAll, beforeAll } from "vitest";

/**
 * Made before the first of the tests, and empty until then. After the last it is disposed of, and so is what `make` has
 * put on its stack, also where `make` failed.
 */
export function forTests<T extends object>(
  make: (stack: AsyncDisposableStack) => T | Promise<T>,
): T {
  const shared: Partial<T & AsyncDisposable> = {};
  const stack = new AsyncDisposableStack();
  stack.defer(() => shared[Symbol.asyncDispose]?.());
  beforeAll(async () => void Object.assign(shared, await make(stack)));
  afterAll(() => stack.disposeAsync());
  return shared as T;
}
