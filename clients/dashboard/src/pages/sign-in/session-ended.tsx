/** Says on the sign-in page why the session has ended. */
import { Alert } from "@mantine/core";
import type { EndReason } from "../../session/sign-in-path.ts";

const TEXTS: Record<EndReason, string> = {
  password_changed: "The password was changed, which ends every other session.",
  ended_elsewhere: "It was signed out from another browser.",
  ended_by_operator: "The operators of this service ended it.",
  user_disabled: "The operators of this service disabled your login. Ask them to enable it again.",
  expired: "A session ends 30 days after signing in.",
  ended: "Sign in to go on where you were.",
};

const isReason = (text: string): text is EndReason => Object.hasOwn(TEXTS, text);

/** Nothing where `reason` is none. */
export function SessionEnded({ reason }: { reason: string | null }) {
  if (reason === null || !isReason(reason)) return null;
  return (
    <Alert color="amber" role="status" title="Your session has ended">
      {TEXTS[reason]}
    </Alert>
  );
}
