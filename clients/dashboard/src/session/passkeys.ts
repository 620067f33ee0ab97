/** Asks the browser for a passkey or a new one, and says in plain words why it gave none. Loaded when a user wants one. */
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { BrowserRefusal } from "../api/refusal.ts";

/** By the name of the browser's error. */
const REASONS: Record<string, string> = {
  NotAllowedError: "You stopped it, or it took too long. Try again when you are ready.",
  AbortError: "You stopped it, or it took too long. Try again when you are ready.",
  InvalidStateError: "This device already has a passkey here.",
  NotSupportedError: "This browser or device has no passkeys of the kind that is needed.",
  SecurityError: "The browser allows no passkeys at this address.",
};

type Response = Record<string, unknown>;

/** `options` are the server's. */
export const existingPasskey = (options: Record<string, unknown>): Promise<Response> =>
  asked(startAuthentication({ optionsJSON: options as never }));

export const newPasskey = (options: Record<string, unknown>): Promise<Response> =>
  asked(startRegistration({ optionsJSON: options as never }));

async function asked(answer: Promise<object>): Promise<Response> {
  try {
    return { ...(await answer) };
  } catch (error) {
    const reason = error instanceof Error ? REASONS[error.name] : undefined;
    throw new BrowserRefusal(reason ?? "The browser could not use a passkey.", { cause: error });
  }
}
