/** The configured identity provider in the form of the sign-in library's options. */
import type { OidcConfig } from "../config.ts";

/** The provider's id within the sign-in library, stored with each login. */
export const OIDC_PROVIDER = "oidc";

/** Below the prefix of the dashboard's API; registered at the identity provider, so it stays. */
export const OIDC_CALLBACK = `/auth/oauth2/callback/${OIDC_PROVIDER}`;

export function oidcProvider(oidc: OidcConfig, publicUrl: string) {
  return {
    providerId: OIDC_PROVIDER,
    discoveryUrl: oidc.discoveryUrl,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ["openid", "profile", "email"],
    pkce: true,
    redirectURI: `${publicUrl}/dashboard/api${OIDC_CALLBACK}`,
    // OpenID Connect names a user by `sub`.
    accountSubject: ({ profile: { sub } }: { profile: Record<string, unknown> }) =>
      typeof sub === "string" ? sub : "",
  };
}
