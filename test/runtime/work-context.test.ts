/** Which traces are recorded. */
import { expect, it } from "vitest";
import { isRecorded, UNRECORDED } from "#runtime/work-context.ts";

const parent = (flags: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`;

it.each(["01", "03", "ff"])("flags %s say that a trace is recorded", (flags) => {
  expect(isRecorded(parent(flags))).toBe(true);
});

it.each([parent("00"), parent("02"), UNRECORDED])("%s says that it is not", (traceparent) => {
  expect(isRecorded(traceparent)).toBe(false);
});
