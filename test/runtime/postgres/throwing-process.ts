/** A process in which something is thrown out of anybody's reach, as the environment says. */
import { surviveDriverFaults } from "#runtime/postgres/driver-faults.ts";

const { MESSAGE = "", PLACE = "" } = process.env;

surviveDriverFaults();
setImmediate(() => {
  const error = new Error(MESSAGE);
  error.stack = `${MESSAGE}\n    at Immediate.${PLACE} (connection.js:255:22)`;
  throw error;
});
setTimeout(() => process.stdout.write("still here\n"), 10);
