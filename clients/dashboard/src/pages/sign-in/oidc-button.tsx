/** The button to sign in with the configured identity provider, if there is one. */
import { Divider } from "@mantine/core";
import { ShieldCheck } from "lucide-react";
import { BusyButton } from "../../components/form/form.tsx";
import { Failure } from "../../components/states.tsx";
import { useOidc } from "../../session/session.ts";

export function OidcButton({ name }: { name: string | undefined }) {
  const oidc = useOidc();
  if (name === undefined) return null;
  return (
    <>
      <Divider label="or" />
      {oidc.error && <Failure error={oidc.error} />}
      <BusyButton
        variant="default"
        size="md"
        leftSection={<ShieldCheck size={17} aria-hidden />}
        isBusy={oidc.isPending}
        onClick={() => oidc.mutate()}
      >
        Continue with {name}
      </BusyButton>
    </>
  );
}
