/** Who is signed in: the session query that every page uses, and the mutations that change it. */
import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api, unwrap, type Schemas } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";
import { pollMs } from "../data/refetch.ts";
import { forgetAllKept } from "./kept.ts";

const MINUTE_MS = 60_000;

const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: () => unwrap(api.GET("/session")),
  staleTime: MINUTE_MS,
  // On any page, who is signed out elsewhere, or removed from the account, is told.
  refetchInterval: ({ state: { data } }) => (data?.user ? pollMs(false) : false),
});

export const useSession = () => useQuery(sessionQuery);

/** Begins to ask who is signed in, before a page does; resolves when that has ended, also if it failed. */
export const beginSession = (client: QueryClient) => client.prefetchQuery(sessionQuery);

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["SignInRequest"]) => unwrap(api.POST("/auth/sign-in", { body })),
    onSuccess: (session) => client.setQueryData(SESSION, session),
  });
}

/** The second step, after a sign-in that needs a second factor. */
export function useCompleteSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["SecondFactorRequest"]) =>
      unwrap(api.POST("/auth/sign-in/second-factor", { body })),
    onSuccess: (session) => client.setQueryData(SESSION, session),
  });
}

/** Forgets a sign-in that waits for a second factor. */
export function useAbandonSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/auth/sign-out")),
    onSettled: () => client.invalidateQueries({ queryKey: SESSION }),
  });
}

/** Asks the browser for a passkey and signs in with it. */
export function usePasskey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { options } = await unwrap(api.POST("/auth/sign-in/passkey/options"));
      const { existingPasskey } = await import("./passkeys.ts");
      const response = await existingPasskey(options);
      return unwrap(api.POST("/auth/sign-in/passkey", { body: { response } }));
    },
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

/** Loads a page anew, by default sign-in, so that nothing of the user stays in the browser. */
export function useSignOut(leave = () => globalThis.location.assign("/dashboard/sign-in")) {
  return useMutation({
    mutationFn: () => unwrap(api.POST("/auth/sign-out")),
    onSuccess: () => {
      forgetAllKept();
      leave();
    },
  });
}
