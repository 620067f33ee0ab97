/** Configures the second factor: asked for after a password and after the identity provider, but not after a passkey. */
import { twoFactor } from "better-auth/plugins/two-factor";

/** The library's route of the provider's redirect. */
const PROVIDER_CALLBACK = "/callback/:id";

export function secondFactor() {
  const plugin = twoFactor({
    // A user who has no password has proved themselves by a fresh sign-in.
    allowPasswordless: true,
    // The library would lock the user, and so the owner, after a stranger's wrong codes. `completeSignIn` counts them.
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
