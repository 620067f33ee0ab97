/** Where plain HTTP is allowed, and the session cookie therefore not Secure. */
import { describe, expect, it } from "vitest";
import { isPlainLoopback } from "../../../services/gateway/domain/requests.ts";

describe("the session's cookie", () => {
  it.each([
    [false, "http://localhost:8080"],
    [false, "http://127.0.0.1:8080"],
    [false, "http://[::1]:8080"],
    [true, "https://localhost:8080"],
    [true, "https://media.example.com"],
    [true, "http://media.example.com"],
    [true, "http://127.0.0.1.example.com"],
  ])("is Secure: %s, for %s", (isSecure, publicUrl) => {
    expect(isPlainLoopback(publicUrl)).toBe(!isSecure);
  });
});
