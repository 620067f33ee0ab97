/** The fields of a `Form`: Mantine's, which show there what is wrong with them. */
import * as mantine from "@mantine/core";
import { type ComponentType, type ReactNode, useId } from "react";
import { useFault } from "./form.tsx";

type FieldProps = { id?: string | undefined; error?: ReactNode };

export const TextInput = withFault(mantine.TextInput);
export const Textarea = withFault(mantine.Textarea);
export const PasswordInput = withFault(mantine.PasswordInput);

function withFault<P extends FieldProps>(Input: ComponentType<P>): ComponentType<P> {
  return function Field(props: P) {
    const ownId = useId();
    const { id = ownId, error } = props;
    const fault = useFault(id);
    return <Input {...props} id={id} error={error ?? fault} />;
  };
}
