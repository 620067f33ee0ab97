/** An input for the name of a key or an account: 1 to 100 characters, not all blank. */
import { TextInput } from "@mantine/core";
import type { TextInputProps } from "@mantine/core";

type Props = Omit<TextInputProps, "onChange"> & {
  value: string;
  onChange: (value: string) => void;
};

export function NameInput({ onChange, ...rest }: Props) {
  return (
    <TextInput
      required
      maxLength={100}
      pattern=".*\S.*"
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
