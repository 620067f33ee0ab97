/** The signed-in user, for every component inside ProfileLayout, which belongs to no account. */
import { createContext, useContext } from "react";
import type { Session } from "../api/client.ts";

type User = NonNullable<Session["user"]>;

export const UserContext = createContext<User | undefined>(undefined);

export function useUser(): User {
  const user = useContext(UserContext);
  if (user === undefined) throw new Error("useUser must be used inside ProfileLayout");
  return user;
}
