/** The user's password, asked once for all that needs it on the page of the profile. */
import { Card } from "@mantine/core";
import { createContext, type ReactNode, type RefObject, useContext, useRef } from "react";
import type { Schemas } from "../../api/client.ts";
import { BrowserRefusal } from "../../api/refusal.ts";
import { OwnPassword } from "../../components/form/form.tsx";

const FieldContext = createContext<RefObject<HTMLInputElement | null>>({ current: null });

export function useAskedPassword() {
  const field = useContext(FieldContext);
  return {
    /** The password for a request; brings the user to the field where it is empty. */
    take: (): Schemas["PasswordRequest"] => {
      // A user without a password has no field.
      if (!field.current) return {};
      const { value } = field.current;
      if (value !== "") return { password: value };
      field.current.focus();
      throw new BrowserRefusal("Enter your password first, in the field above.");
    },
    forget: () => {
      if (field.current) field.current.value = "";
    },
  };
}

/** The field, above what needs it. */
export function AskedPassword({ children }: { children: ReactNode }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <FieldContext value={field}>
      <Card component="section" aria-label="Your password">
        <OwnPassword ref={field} maw={380} description="What follows needs it; it is asked once." />
      </Card>
      {children}
    </FieldContext>
  );
}
