/** The user's password, asked once for all that needs it on the page of the profile. */
import { Card } from "@mantine/core";
import { createContext, type ReactNode, useContext, useMemo, useRef } from "react";
import type { Schemas } from "../../api/client.ts";
import { BrowserRefusal } from "../../api/refusal.ts";
import { OwnPassword } from "../../components/form/form.tsx";

type Asked = {
  /** The password for a request; brings the user to the field where it is empty. */
  take: () => Schemas["PasswordRequest"];
  forget: () => void;
};

const AskedContext = createContext<Asked>({ take: () => ({}), forget: () => {} });

export const useAskedPassword = (): Asked => useContext(AskedContext);

/** The field, above what needs it. */
export function AskedPassword({ children }: { children: ReactNode }) {
  const field = useRef<HTMLInputElement>(null);
  const asked = useMemo<Asked>(
    () => ({
      take: () => {
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
    }),
    [],
  );
  return (
    <AskedContext value={asked}>
      <Card component="section" aria-label="Your password">
        <OwnPassword ref={field} maw={380} description="What follows needs it; it is asked once." />
      </Card>
      {children}
    </AskedContext>
  );
}
