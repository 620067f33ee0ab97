/** The field for the user's present password. */
import { PasswordInput } from "./form/fields.tsx";

export function CurrentPassword({ label = "Current password" }: { label?: string }) {
  return (
    <PasswordInput
      name="current"
      label={label}
      autoComplete="current-password"
      required
      maxLength={128}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
    />
  );
}
