/** The field for the user's present password; a user who has none is told what is needed instead. */
import { Text } from "@mantine/core";
import type { Schemas } from "../api/client.ts";
import { useUser } from "../data/user.ts";
import { field } from "./form-data.ts";
import { PasswordInput } from "./form/fields.tsx";

const NAME = "password";

/** The password in a form with this field; empty for a user who has none. */
export function passwordIn(form: FormData): Schemas["PasswordRequest"] {
  const password = field(form, NAME);
  return password === "" ? {} : { password };
}

export function CurrentPassword({ label = "Password" }: { label?: string }) {
  const user = useUser();
  if (!user.has_password) {
    return (
      <Text size="sm" c="dimmed">
        You have no password, so this needs a sign-in of the last ten minutes.
      </Text>
    );
  }
  return (
    <PasswordInput
      name={NAME}
      label={label}
      autoComplete="current-password"
      required
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
    />
  );
}
