/** A service that is reached over TLS: its cookies, and the URLs of its files. */
import { describe, expect, it } from "vitest";
import { isPlainLoopback } from "../../../services/gateway/domain/requests.ts";
import { PASSWORD, newBrowser } from "./browser.ts";
import { useHarness } from "../harness.ts";
import { post } from "../requests.ts";

const PUBLIC_URL = "https://media.example.com";

const harness = useHarness({ config: { publicUrl: PUBLIC_URL, assetBaseUrl: undefined } });

describe("over TLS", () => {
  it("every cookie that a sign-in sets is never sent without it, read by scripts or sent by other sites", async () => {
    const browser = newBrowser({ url: harness.localUrl });
    const user = { name: "Person", email: "tls@example.com", password: PASSWORD };
    const origin = { origin: PUBLIC_URL };
    const answer = await browser.send("POST", "/auth/sign-up", user, origin);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const cookies = answer.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual([
      "__Secure-media.session_token",
      "media.browser",
    ]);
    for (const cookie of cookies) {
      for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/dashboard"])
        expect(cookie).toMatch(new RegExp(`; ${attribute}(;|$)`));
    }
  });

  it("files have URLs below the public one when no other base is set", async () => {
    expect(harness.gateway.url).toBe(PUBLIC_URL);
    const init = post(harness.key.secret, { model: "m", prompt: "a" });
    const response = await fetch(`${harness.localUrl}/v1/images/generations`, init);
    const output = [{ url: `${PUBLIC_URL}/assets/a/igen/0.png` }];
    expect(await response.json()).toMatchObject({ output });
  });
});

it.each([
  [false, "http://localhost:8080"],
  [false, "http://127.0.0.1:8080"],
  [false, "http://[::1]:8080"],
  [true, "https://localhost:8080"],
  [true, "https://media.example.com"],
  [true, "http://media.example.com"],
  [true, "http://127.0.0.1.example.com"],
])("the session's cookie is Secure: %s, for %s", (isSecure, publicUrl) => {
  expect(isPlainLoopback(publicUrl)).toBe(!isSecure);
});
