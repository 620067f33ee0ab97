/** The configured identity provider in the form of the sign-in library's options. */

/** The provider's id within the sign-in library, stored with each login. */
export const OIDC_PROVIDER = "oidc";

/** Below the prefix of the dashboard's API; registered at the identity provider, so it stays. */
export const OIDC_CALLBACK = `/auth/oauth2/callback/${OIDC_PROVIDER}`;

/** The identity provider that users may sign in with. */
export type OidcConfig = {
  /** The label of its sign-in button. */
  name: string;
  discoveryUrl: string;
  clientId: string;
  clientSecret: string;
};

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
