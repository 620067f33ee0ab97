/** A text of limited length with a counter. Nothing is cut off: a text that is too long cannot be submitted. */
import type { TextareaProps } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Textarea } from "./fields.tsx";

type Props = Omit<TextareaProps, "onChange" | "value" | "maxLength"> & {
  value: string;
  /** The limit in characters as the service counts them: an emoji is one. */
  limit: number;
  onChange: (value: string) => void;
};

export function LimitedTextarea({ value, limit, onChange, description, ...rest }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const length = Array.from(value).length;
  const excess = length - limit;
  const fault =
    excess > 0
      ? `Shorten it by ${count(excess)} ${excess === 1 ? "character" : "characters"}.`
      : "";
  useEffect(() => field.current?.setCustomValidity(fault), [fault]);
  return (
    <Textarea
      ref={field}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={
        <>
          {description} {count(length)} of {count(limit)} characters
        </>
      }
      error={fault === "" ? undefined : fault}
      {...rest}
    />
  );
}

const count = (amount: number) => amount.toLocaleString("en-US");
