/** The configured identity provider in the form of the sign-in library's options. */
import type { OidcConfig } from "../config.ts";

/** The provider's id within the sign-in library, stored with each login. */
export const OIDC_PROVIDER = "oidc";

export function oidcProvider(oidc: OidcConfig) {
  return {
    providerId: OIDC_PROVIDER,
    discoveryUrl: oidc.discoveryUrl,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ["openid", "profile", "email"],
    pkce: true,
  };
}
