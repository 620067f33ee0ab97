/** Configures the sign-in library for this service's tables, ids and cookies. */
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { CamelCasePlugin, Kysely } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import type { Log } from "#runtime/log.ts";
import { randomToken } from "#runtime/id.ts";
import type { NewId } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { OidcConfig } from "../config.ts";
import { isPlainLoopback } from "../domain/plain-loopback.ts";
import { oidcProvider } from "./oidc.ts";

const DAY_SECONDS = 24 * 60 * 60;

export type AuthSettings = {
  sql: Sql;
  newId: NewId;
  log: Log;
  secret: string;
  /** The base URL of the public port as browsers see it, without a trailing slash. */
  publicUrl: string;
  oidc: OidcConfig | undefined;
  /** Whether a user with this e-mail, in lower case, may be created. */
  maySignUp: (email: string) => Promise<boolean>;
};

export type Auth = ReturnType<typeof createAuth>;

/** Creates the library's instance. Its own routes are not served; only the dashboard's operations call it. */
export function createAuth(settings: AuthSettings) {
  const { sql, newId, log, publicUrl, oidc } = settings;
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
    onAPIError: { errorURL: `${publicUrl}/dashboard/sign-in` },
    database: { db: db.withSchema("gateway"), type: "postgres", transaction: true },
    emailAndPassword: { enabled: true, minPasswordLength: 10, maxPasswordLength: 128 },
    user: { modelName: "users" },
    session: {
      modelName: "sessions",
      expiresIn: 7 * DAY_SECONDS,
      updateAge: DAY_SECONDS,
      // Off, so that an ended session is refused at once.
      cookieCache: { enabled: false },
    },
    account: {
      modelName: "user_logins",
      fields: { accountId: "providerUserId" },
      // E-mails are not verified here, so an equal e-mail does not prove the same person.
      accountLinking: { enabled: false },
      encryptOAuthTokens: true,
    },
    verification: { modelName: "verifications" },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: "media",
      useSecureCookies: !isPlainLoopback(publicUrl),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax", path: "/dashboard" },
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => (model === "user" ? newId("usr") : randomToken()) },
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user) => {
            if (await settings.maySignUp(user.email)) return { data: user };
            throw new APIError("FORBIDDEN", { message: "sign_up_closed" });
          },
        },
      },
    },
    plugins: oidc ? [genericOAuth({ config: [oidcProvider(oidc)] })] : [],
  });
}
