/** requireStrongPassword: which passwords are too easy to guess. */
import { describe, expect, it } from "vitest";
import { requireStrongPassword } from "../../../../services/gateway/dashboard/sign-in/password.ts";

const known = ["ada.lovelace@example.com", "Ada Lovelace"];
const check = (password: string) =>
  requireStrongPassword(password, { param: "new_password", known });

describe("a new password", () => {
  it.each([
    "password12",
    "P4ssword12",
    "1234567890",
    "qwertyuiop",
    "a".repeat(128),
    "abcdefghijkl",
    "ada.lovelace@example.com",
    "iloveyou123",
  ])("is refused, naming its field, when it is guessed at once: %s", async (password) => {
    await expect(check(password)).rejects.toMatchObject({
      code: "weak_password",
      options: { param: "new_password" },
    });
  });

  it.each(["correct horse battery", "another password", "xk2j9fq0zz", "wären da nicht 3 Äpfel"])(
    "is accepted when it takes more than a million guesses: %s",
    async (password) => {
      await expect(check(password)).resolves.toBeUndefined();
    },
  );
});
