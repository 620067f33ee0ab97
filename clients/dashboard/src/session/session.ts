/** Who is signed in: the one query that every page stands on, and what changes it. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { answered, api } from "../api/client.ts";
import type { Schemas } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";

export type Session = Schemas["Session"];
export type Account = Schemas["Account"];

const MINUTE_MS = 60_000;

const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: () => answered(api.GET("/session")),
  staleTime: MINUTE_MS,
});

export const useSession = () => useQuery(sessionQuery);

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["SignInRequest"]) => answered(api.POST("/auth/sign-in", { body })),
    onSuccess: (session) => client.setQueryData(SESSION, session),
  });
}

export function useSignUp() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: Schemas["SignUpRequest"]) => answered(api.POST("/auth/sign-up", { body })),
    onSuccess: async (session) => {
      client.setQueryData(SESSION, session);
      await navigate("/");
    },
  });
}

/** Sends the browser to the identity provider. */
export function useOidc() {
  return useMutation({
    mutationFn: () => answered(api.POST("/auth/oidc")),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
}

/** Nothing of the person who left stays in memory. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => answered(api.POST("/auth/sign-out")),
    onSuccess: () => globalThis.location.assign("/dashboard/sign-in"),
  });
}
