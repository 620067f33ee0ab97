/** An OpenID Connect provider on the loopback interface, at which somebody is signed in already. */
import { startHttp } from "./http-server.ts";

export type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>;

/** What the provider gives as the access token. */
export const ACCESS_TOKEN = "the-access-token";

export async function startOidcProvider() {
  const server = await startHttp((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    if (pathname === "/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "any");
      back.searchParams.set("state", searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const responses: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      "/token": { access_token: ACCESS_TOKEN, token_type: "Bearer", expires_in: 60 },
      "/userinfo": provider.person,
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(responses[pathname] ?? {}));
  });
  const provider = {
    discoveryUrl: `${server.url}/.well-known/openid-configuration`,
    /** Who is signed in. */
    person: { sub: "", email: "", name: "", email_verified: false },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return provider;
}
