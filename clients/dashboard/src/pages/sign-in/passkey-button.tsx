/** The button to sign in with a passkey, where the browser has them. */
import { KeyRound } from "lucide-react";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { Failure } from "../../components/failure.tsx";
import { usePasskey } from "../../session/session.ts";

export function PasskeyButton() {
  const passkey = usePasskey();
  if (!("PublicKeyCredential" in globalThis)) return null;
  return (
    <>
      {passkey.error && <Failure error={passkey.error} />}
      <BusyButton
        variant="default"
        size="md"
        leftSection={<KeyRound size={17} aria-hidden />}
        isBusy={passkey.isPending}
        onClick={() => passkey.mutate()}
      >
        Use a passkey
      </BusyButton>
    </>
  );
}
