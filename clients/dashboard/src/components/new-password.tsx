/** The field for a new password. */
import { PasswordInput } from "./form/fields.tsx";

const MIN_PASSWORD_LENGTH = 10;

export function NewPassword({ name, label }: { name: string; label: string }) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={`At least ${MIN_PASSWORD_LENGTH} characters of any kind, hard to guess.`}
      autoComplete="new-password"
      required
      minLength={MIN_PASSWORD_LENGTH}
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
    />
  );
}
