/** A program for tests: throws an uncaught error with the message and function name in its environment. */
import { surviveDriverFaults } from "#runtime/postgres/driver-faults.ts";

const { MESSAGE = "", FUNCTION = "" } = process.env;

surviveDriverFaults();
setImmediate(() => {
  const error = new Error(MESSAGE);
  error.stack = `${MESSAGE}\n    at Immediate.${FUNCTION} (connection.js:255:22)`;
  throw error;
});
setTimeout(() => process.stdout.write("still here\n"), 10);
