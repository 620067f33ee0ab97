/** The configured identity provider, as the sign-in library is told of it. */
import type { OidcConfig } from "../config.ts";

/** The name by which the library knows it. */
export const OIDC_PROVIDER = "oidc";

export function providerOf(oidc: OidcConfig) {
  return {
    providerId: OIDC_PROVIDER,
    discoveryUrl: oidc.discoveryUrl,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ["openid", "profile", "email"],
    pkce: true,
  };
}
