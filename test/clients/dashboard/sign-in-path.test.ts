/** Why the sign-in page says that a session has ended. */
import { expect, it } from "vitest";
import { endReason } from "../../../clients/dashboard/src/session/sign-in-path.ts";

const NOW = "2026-11-21T12:00:00.000Z";

it.each([
  ["as the server says", { ended_because: "user_disabled" }, { expires_at: NOW }, "user_disabled"],
  ["expired, once its time is over", {}, { expires_at: NOW }, "expired"],
  ["ended, before that", {}, { expires_at: "2026-11-21T12:00:01.000Z" }, "ended"],
  ["nothing to a visitor", {}, undefined, undefined],
] as const)("a session has %s", (_what, session, before, reason) => {
  expect(endReason(session, before, Date.parse(NOW))).toBe(reason);
});
