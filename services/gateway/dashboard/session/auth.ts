/** Configures the sign-in library for this service's tables, ids and cookies, and its identity provider. */
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { CamelCasePlugin, Kysely } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import { randomToken } from "#runtime/id.ts";
import { isUniqueViolation } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
import { isPlainLoopback } from "../../domain/requests.ts";
import type { Mailer } from "../../accounts/mail/mailer.ts";
import { LINK_VALID_SECONDS, type Messages } from "../../accounts/mail/messages.ts";
import * as store from "../../store/store.ts";
import { passkey } from "@better-auth/passkey";
import { twoFactor } from "better-auth/plugins/two-factor";

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

function oidcProvider({ name: _label, ...oidc }: OidcConfig, publicUrl: string) {
  return {
    ...oidc,
    providerId: OIDC_PROVIDER,
    scopes: ["openid", "profile", "email"],
    pkce: true,
    redirectURI: `${publicUrl}/dashboard/api${OIDC_CALLBACK}`,
    // OpenID Connect names a user by `sub`.
    accountSubject: ({ profile: { sub } }: { profile: Record<string, unknown> }) =>
      typeof sub === "string" ? sub : "",
  };
}

/** The library's routes that delete the user's sessions. */
const PASSWORD_CHANGES: ReadonlySet<string> = new Set(["/change-password", "/reset-password"]);

const SESSION_SECONDS = 30 * 24 * 60 * 60;

export type PasswordHashing = {
  hash: (password: string) => Promise<string>;
  verify: (kept: { hash: string; password: string }) => Promise<boolean>;
};

type AuthSettings = Pick<Base, "sql" | "newId" | "log"> & {
  secret: string;
  /** The base URL of the public port as browsers see it, without a trailing slash. */
  publicUrl: string;
  /** The identity provider that this instance signs in with. It is asked for its addresses once, at the first use. */
  oidc: OidcConfig | undefined;
  mailer: Mailer;
  messages: Messages;
  /** Whether a user with this e-mail, in lower case, may be created. */
  maySignUp: (email: string) => Promise<boolean>;
  /** The library's by default: scrypt with 32 MB. */
  passwordHashing: PasswordHashing | undefined;
};

export type Auth = ReturnType<typeof createAuth>;

/** Creates the library's instance. Its own routes are not served; only the dashboard's operations call it. */
export function createAuth(settings: AuthSettings) {
  const { sql, newId, log, publicUrl, oidc, mailer, messages } = settings;
  const db = new Kysely<object>({
    dialect: new PostgresJSDialect({ postgres: sql }),
    plugins: [new CamelCasePlugin()],
  });
  return betterAuth({
    appName: "Media Generation",
    baseURL: publicUrl,
    basePath: "/dashboard/api/auth",
    trustedOrigins: [new URL(publicUrl).origin],
    secret: settings.secret,
    telemetry: { enabled: false },
    logger: {
      level: "warn",
      // The library logs a wrong password as an error; here it is a normal event.
      log: (_level, message) => log.warn({ part: "auth" }, message),
    },
    // Thrown, because the library would print them.
    onAPIError: { errorURL: `${publicUrl}/dashboard/sign-in`, throw: true },
    database: { db: db.withSchema("gateway"), type: "postgres", transaction: true },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      ...(settings.passwordHashing && { password: settings.passwordHashing }),
      resetPasswordTokenExpiresIn: LINK_VALID_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) =>
        mailer.send(user.email, messages.resetPassword(token)),
      onPasswordReset: async ({ user }) => {
        await store.endPasswordLinks(sql, user.id);
        if (mailer.reachesAddressee) await store.takeOverUnverified(sql, user.id);
      },
    },
    emailVerification: {
      expiresIn: LINK_VALID_SECONDS,
      sendVerificationEmail: async ({ user, token }) =>
        mailer.send(user.email, messages.verifyEmail(token)),
    },
    user: {
      modelName: "users",
      additionalFields: { disabledAt: { type: "date", required: false, input: false } },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: async ({ user, newEmail, token }) =>
          mailer.send(user.email, messages.confirmChange(newEmail, token)),
      },
    },
    session: {
      modelName: "sessions",
      // From the sign-in on, whatever the session is used for.
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      // No session is too old for the library: what needs certainty calls `reauthenticate`.
      freshAge: 0,
      // Off, so that an ended session is refused at once.
      cookieCache: { enabled: false },
    },
    account: {
      modelName: "user_logins",
      fields: { accountId: "providerUserId" },
      // Only from a signed-in session: an equal e-mail does not prove the same person.
      accountLinking: {
        enabled: true,
        disableImplicitLinking: true,
        allowDifferentEmails: true,
        trustedProviders: [OIDC_PROVIDER],
      },
      encryptOAuthTokens: true,
    },
    // Hashed, so that who reads the table cannot use its links.
    verification: { modelName: "verifications", storeIdentifier: "hashed" },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: "media",
      useSecureCookies: !isPlainLoopback(publicUrl),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax", path: "/dashboard" },
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => (model === "user" ? newId("usr") : randomToken()) },
    },
    databaseHooks: {
      session: {
        delete: {
          before: async (session, context) => {
            if (!PASSWORD_CHANGES.has(context?.path ?? "")) return;
            await store.recordPasswordChange(sql, session.token, session.expiresAt);
          },
        },
      },
      account: {
        create: {
          // Here, because the provider's redirect names no user: whoever has the link's state may follow it.
          after: async ({ userId, providerId }) => {
            if (providerId !== OIDC_PROVIDER || (await store.loginsOf(sql, userId)).length === 1)
              return;
            const user = await store.findUser(sql, userId);
            if (user) mailer.send(user.email, messages.signInChanged("provider_linked"));
          },
        },
      },
      user: {
        create: {
          before: async (user) => {
            if (await settings.maySignUp(user.email)) return { data: user };
            throw new APIError("FORBIDDEN", { code: "sign_up_closed" });
          },
        },
      },
    },
    plugins: [
      passkeys(publicUrl),
      secondFactor(),
      ...(oidc ? [genericOAuth({ config: [oidcProvider(oidc, publicUrl)] })] : []),
    ],
  });
}

/** Signing in by a passkey alone, so it has to ask for the user's finger, face or PIN. */
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

/** The library's route of the provider's redirect. */
const PROVIDER_CALLBACK = "/callback/:id";

/** The second factor: asked for after a password and after the identity provider, but not after a passkey. */
function secondFactor() {
  const plugin = twoFactor({
    // A user who has no password has proved themselves by a fresh sign-in.
    allowPasswordless: true,
    // Anybody's wrong codes would lock the owner out. `completeSignIn` counts them instead.
    accountLockout: { enabled: false },
    schema: { twoFactor: { modelName: "second_factors" } },
  });
  // The library asks after a password only.
  const after = plugin.hooks.after.map((hook) => ({
    ...hook,
    matcher: (context: Parameters<typeof hook.matcher>[0]) =>
      context.path === PROVIDER_CALLBACK || hook.matcher(context),
  }));
  return { ...plugin, hooks: { after } };
}

/** Calls again, once, if the database has refused a second row with the same key; the call then finds that row. */
export function againIfTaken<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    return call();
  });
}
