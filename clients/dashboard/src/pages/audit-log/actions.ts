/** The actions and actors of the audit log as the page names them. */
import type { Schemas } from "../../api/client.ts";

export type Action = Schemas["AuditAction"];
export type Actor = Schemas["AuditActorType"];

/** Covers every action of the document, or this does not compile. */
const ACTIONS: Record<Action, string> = {
  "account.create": "Created the account",
  "account.rename": "Renamed the account",
  "account.grant_production": "Granted production access",
  "account.suspend": "Suspended the account",
  "account.restore": "Restored the account",
  "account.set_limits": "Set the limits",
  "request.create": "Asked operators",
  "request.answer": "Answered a request",
  "member.join": "Joined",
  "member.change_role": "Changed a role",
  "member.remove": "Removed a member",
  "member.leave": "Left",
  "member.reset_password": "Made a link for a new password",
  "member.disable": "Disabled a member's sign-in",
  "member.enable": "Enabled a member's sign-in",
  "member.end_sessions": "Ended a member's sessions",
  "invitation.create": "Invited someone",
  "invitation.withdraw": "Withdrew an invitation",
  "invitation.expire": "An invitation expired",
  "key.create": "Created an API key",
  "key.rename": "Renamed an API key",
  "key.set_permissions": "Set what an API key may do",
  "key.roll": "Replaced an API key",
  "key.revoke": "Revoked an API key",
  "limits.set": "Set limits of Tokens",
  "alerts.set": "Set alerts",
  "webhook_secret.rotate": "Rotated a signing secret",
  "webhook_url.enable": "Enabled a webhook URL",
  "webhook_url.disable": "Disabled a webhook URL",
  "balance.recharge": "Recharged the balance",
  "balance.adjust": "Corrected the balance",
  "discount.set": "Set a discount",
  "files.set_retention": "Set how long files are kept",
  "files.set_limit": "Set how much may be stored",
  "content.set_retention": "Set how long prompts and webhooks are kept",
  "files.delete": "Deleted files",
  "generation.delete": "Deleted a generation",
  "task.make_due": "Made a generation due",
  "task.fail": "Ended a generation",
};

const ACTORS: Record<Actor, string> = {
  user: "users",
  operator: "operators of the service",
  system: "the service itself",
};

export const actionName = (action: Action): string => ACTIONS[action];

export const ACTION_CHOICES = choicesOf(ACTIONS);
export const ACTOR_CHOICES = choicesOf(ACTORS);

/** The choices of a select. */
function choicesOf<T extends string>(names: Record<T, string>): { value: T; label: string }[] {
  return (Object.entries(names) as [T, string][]).map(([value, label]) => ({ value, label }));
}
