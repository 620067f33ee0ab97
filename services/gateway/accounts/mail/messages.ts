/**
 * The mails that the gateway sends, as plain text. They hold no text of customers, so that nobody can write to others
 * in the service's name. Secrets are in a link's fragment, which browsers never send.
 */
import type { components } from "#gen/openapi/media.ts";
import type * as store from "../../store/store.ts";

type PublicLimit = components["schemas"]["TokenLimit"];

export type Mail = {
  /** What the log and the names of files call it. */
  kind: string;
  subject: string;
  text: string;
  /** Part of its Message-ID, by which mail systems know a second copy; random where there is none. */
  id?: string;
};

const SIGN_IN_CHANGES = {
  password_changed: "The password was changed, and every other session has ended.",
  password_reset: "A new password was set by a mailed link, and every session has ended.",
  email_changed: "The e-mail address was changed.",
  passkey_added: "A passkey was added.",
  passkey_removed: "A passkey was removed.",
  second_factor_added:
    "A second factor was set up: signing in needs a code of an authenticator app.",
  second_factor_removed: "The second factor was removed: signing in needs no code any more.",
  second_factor_reset: "An operator removed the second factor and every passkey.",
  recovery_codes_renewed: "The recovery codes were replaced.",
  provider_linked: "A login at the identity provider was linked, which signs in from now on.",
  provider_unlinked: "The login at the identity provider was unlinked.",
} as const;

export type SignInChange = keyof typeof SIGN_IN_CHANGES;

const SERVICE = "Media Generation";

/** How long the links of all mails but invitations work. */
export const LINK_VALID_SECONDS = 60 * 60;

const VALID = "The link works for an hour.";
const UNWANTED = "If you did not ask for this, ignore this mail: nothing has changed.";

/** `publicUrl` is the base of the service's own URLs, without a trailing slash. */
export function messages(publicUrl: () => string) {
  const page = (path: string, fragment: Record<string, string> = {}) => {
    const hash = new URLSearchParams(fragment).toString();
    return `${publicUrl()}/dashboard/${path}${hash === "" ? "" : `#${hash}`}`;
  };
  const resetLink = (token: string) => page("reset-password", { token });
  const invitationLink = (token: string) => page("invitations", { token });
  return {
    resetLink,
    invitationLink,
    signUp: (email: string, token: string) =>
      mailOf(
        "sign-up",
        `Sign up for ${SERVICE}`,
        "Open this link to sign up:",
        page("sign-up", { email, token }),
        VALID,
        UNWANTED,
      ),
    hasLogin: () =>
      mailOf(
        "has-login",
        `You already have a login for ${SERVICE}`,
        "Someone asked to sign up with your address, which has a login already. Sign in, or set a new password:",
        page("forgotten-password"),
        UNWANTED,
      ),
    verifyEmail: (token: string) =>
      mailOf(
        "verify-email",
        "Confirm your e-mail address",
        `Open this link to confirm that this is your address at ${SERVICE}:`,
        page("confirm-email", { token }),
        VALID,
        UNWANTED,
      ),
    confirmChange: (newEmail: string, token: string) =>
      mailOf(
        "confirm-change",
        "Confirm your new e-mail address",
        `Open this link to change your address at ${SERVICE} to ${newEmail}. A second link is then sent there:`,
        page("confirm-email", { token }),
        VALID,
        "If you did not ask for this, someone else is signed in as you: change your password.",
      ),
    signInChanged: (change: SignInChange) =>
      mailOf(
        "sign-in-changed",
        `How you sign in to ${SERVICE} has changed`,
        SIGN_IN_CHANGES[change],
        "If this was not you, set a new password at once and look at Account in the dashboard. If you cannot, ask operations.",
        page("forgotten-password"),
      ),
    resetPassword: (token: string) =>
      mailOf(
        "reset-password",
        `Set a new password for ${SERVICE}`,
        "Open this link to set a new password:",
        resetLink(token),
        VALID,
        UNWANTED,
      ),
    invitation: (inviter: string, token: string) =>
      mailOf(
        "invitation",
        `An invitation to ${SERVICE}`,
        `${inviter} invites you to an account of ${SERVICE}:`,
        invitationLink(token),
        "The link works for seven days, once.",
        "If you do not know who invites you, ignore this mail.",
      ),
    requestAnswered: ({ kind, decision, tokens, answer }: store.AccountRequestRow) => {
      const wanted = kind === "production" ? "production access" : `${String(tokens)} Tokens`;
      return mailOf(
        "request-answered",
        `Your request was ${decision}`,
        `Your request for ${wanted} at ${SERVICE} was ${decision}.`,
        ...(answer === "" ? [] : [answer]),
        page(""),
      );
    },
    balanceLow: (accountId: string, available: bigint, threshold: bigint) =>
      mailOf(
        "balance-low",
        `Your balance at ${SERVICE} is low`,
        `${available} live Tokens are available, fewer than the ${threshold} at which you want to be told.`,
        "When they do not cover the price of a video or image, it is refused. Recharge the balance, or change the threshold:",
        page(`${accountId}/live/billing`),
      ),
    limitReached: (accountId: string, limit: PublicLimit, percent: number) => {
      const { key_id: keyId, period, tokens, used, resets_at: resetsAt } = limit;
      const whose = keyId === undefined ? "the account" : `the API key ${keyId}`;
      return mailOf(
        "limit-reached",
        `${percent} % of a limit at ${SERVICE} is reached`,
        `${used} of the ${tokens} Tokens that ${whose} may use in a ${period} are used.`,
        `What exceeds the limit is refused. It starts anew at ${resetsAt}. Raise it, or change when you are told:`,
        page(`${accountId}/live/billing`),
      );
    },
  };
}

export type Messages = ReturnType<typeof messages>;

function mailOf(kind: string, subject: string, ...paragraphs: string[]): Mail {
  return { kind, subject, text: `${paragraphs.join("\n\n")}\n` };
}
