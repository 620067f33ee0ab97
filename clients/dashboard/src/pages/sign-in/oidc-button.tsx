/** The button to sign in with the configured identity provider, if there is one. */
import { Button, Divider } from "@mantine/core";
import { ShieldCheck } from "lucide-react";
import { Failure } from "../../components/failure.tsx";
import { useOidc } from "../../session/session.ts";

export function OidcButton({ name }: { name: string | undefined }) {
  const oidc = useOidc();
  if (name === undefined) return null;
  return (
    <>
      <Divider label="or" />
      {oidc.error && <Failure error={oidc.error} />}
      <Button
        variant="default"
        size="md"
        leftSection={<ShieldCheck size={17} aria-hidden />}
        loading={oidc.isPending}
        onClick={() => oidc.mutate()}
      >
        Continue with {name}
      </Button>
    </>
  );
}
