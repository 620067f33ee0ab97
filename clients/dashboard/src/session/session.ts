/** Who is signed in: the session query that every page uses, and the mutations that change it. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api, unwrap } from "../api/client.ts";
import type { Schemas } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";

export type Session = Schemas["Session"];
export type Account = Schemas["Account"];

const MINUTE_MS = 60_000;

const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: () => unwrap(api.GET("/session")),
  staleTime: MINUTE_MS,
});

export const useSession = () => useQuery(sessionQuery);

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["SignInRequest"]) => unwrap(api.POST("/auth/sign-in", { body })),
    onSuccess: (session) => client.setQueryData(SESSION, session),
  });
}

export function useSignUp() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: Schemas["SignUpRequest"]) => unwrap(api.POST("/auth/sign-up", { body })),
    onSuccess: async (session) => {
      client.setQueryData(SESSION, session);
      await navigate("/");
    },
  });
}

/** Sends the browser to the identity provider. */
export function useOidc() {
  return useMutation({
    mutationFn: () => unwrap(api.POST("/auth/oidc")),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
}

/** Reloads the page, so that no cached data of the user stays in memory. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => unwrap(api.POST("/auth/sign-out")),
    onSuccess: () => globalThis.location.assign("/dashboard/sign-in"),
  });
}
