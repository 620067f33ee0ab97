/** The end user of a request in OpenAI's shape: its `safety_identifier`, which has taken the place of `user` there. */
type Named = { user?: string | null | undefined; safety_identifier?: string | null | undefined };

export function endUserOf({ user, safety_identifier: identifier }: Named): { end_user?: string } {
  const endUser = identifier ?? user;
  return typeof endUser === "string" ? { end_user: endUser } : {};
}
