/** Configures passkeys: signing in by one alone, so it has to ask for the user's finger, face or PIN. */
import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth/api";

export function passkeys(publicUrl: string) {
  return passkey({
    rpName: "Media Generation",
    rpID: new URL(publicUrl).hostname,
    origin: new URL(publicUrl).origin,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    authentication: {
      afterVerification: ({ verification }) => {
        // The library asks for it, but takes an answer without it.
        if (!verification.authenticationInfo.userVerified) throw new APIError("UNAUTHORIZED");
      },
    },
    // The library's column name does not survive the conversion to snake case.
    schema: { passkey: { modelName: "passkeys", fields: { credentialID: "credentialId" } } },
  });
}
