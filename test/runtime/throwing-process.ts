/** A program for tests: throws where nobody catches it. */
import { endOnUncaught } from "#runtime/log.ts";

endOnUncaught();
setImmediate(() => {
  throw new Error("nobody catches this");
});
setImmediate(() => process.stdout.write("still here\n"));
