/** The guarantees that every adapter gives, each shown against its fake upstream. */
import { describe } from "vitest";
import { callbacksConform } from "./conformance-callbacks.ts";
import { cancelConforms } from "./conformance-cancel.ts";
import { checkConforms } from "./conformance-check.ts";
import { fieldsConform } from "./conformance-fields.ts";
import { imageConforms } from "./conformance-image.ts";
import { pollConforms } from "./conformance-poll.ts";
import { submitConforms } from "./conformance-submit.ts";
import type { Subject } from "./subject.ts";

export function conforms(subject: Subject): void {
  describe(`${subject.name} keeps the promises of an adapter`, () => {
    for (const jobs of subject.jobs) {
      describe(`${jobs.job.kind} jobs`, () => {
        submitConforms(subject, jobs);
        pollConforms(subject, jobs);
        cancelConforms(subject, jobs);
      });
    }
    imageConforms(subject);
    fieldsConform(subject);
    callbacksConform(subject);
    checkConforms(subject);
  });
}
