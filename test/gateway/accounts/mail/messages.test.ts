/** The texts of mails. */
import { describe, expect, it } from "vitest";
import {
  invitationLink,
  messages,
  resetLink,
} from "../../../../services/gateway/accounts/mail/messages.ts";

const URL_BASE = "https://media.example.com";
const SECRET = "the-secret-of-the-link";

const mails = messages(() => URL_BASE);

describe("the link of a mail", () => {
  it("has its secret in the fragment, which no server and no proxy sees", () => {
    const texts = [
      mails.signUp("ada@example.com", SECRET).text,
      mails.verifyEmail(SECRET).text,
      mails.confirmChange("ada@example.org", SECRET).text,
      mails.resetPassword(SECRET).text,
      mails.invitation("ada@example.com", SECRET).text,
      resetLink(URL_BASE, SECRET),
      invitationLink(URL_BASE, SECRET),
    ];
    for (const text of texts) {
      const link = new URL(/https:\S+/.exec(text)?.[0] ?? "");
      expect(new URLSearchParams(link.hash.slice(1)).get("token")).toBe(SECRET);
      expect(link.pathname + link.search).not.toContain(SECRET);
      expect(link.search).toBe("");
    }
  });
});
