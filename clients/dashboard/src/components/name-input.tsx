/** An input for the name of a key, an account or a user: 1 to 100 characters, not all blank. */
import type { TextInputProps } from "@mantine/core";
import { TextInput } from "./form/fields.tsx";

type Props = Omit<TextInputProps, "onChange"> & {
  value: string;
  onChange: (value: string) => void;
};

export function NameInput({ onChange, ...rest }: Props) {
  return (
    <TextInput
      name="name"
      required
      maxLength={100}
      pattern=".*\S.*"
      title="Enter more than spaces."
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
