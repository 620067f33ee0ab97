/** Which addresses and URLs may be called. */
import { allowNone, checkUrl, isPublicAddress, parseCidrs } from "#runtime/address.ts";
import { REFUSED_HOSTS } from "../support/refused-hosts.ts";

const reasonOf = (url: string, allow = allowNone): string => {
  const check = checkUrl(url, allow);
  return check.ok ? "passes" : check.reason;
};

describe("a URL named by a client", () => {
  it.each(REFUSED_HOSTS)("is refused at once when its host is %s", (host) => {
    expect(reasonOf(`https://${host}/hook`)).toMatch(/public host|complete URL/);
    expect(reasonOf(`https://${host}:8443/hook`)).toMatch(/public host|complete URL/);
  });

  it.each([
    "https://example.com",
    "https://example.com./hook?x=1#y",
    "https://EXAMPLE.com:443/",
    "https://example.com:1024/",
    "https://example.com:65535/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://münchen.example/",
    "https://local.example.com/@user:8443",
    "https://notlocalhost.com/",
  ])("passes when it is %s", (url) => {
    expect(reasonOf(url)).toBe("passes");
  });

  it.each([
    ["http://example.com/", "begin with https"],
    ["http://localhost:3000/", "begin with https:// and name a public host"],
    ["ftp://example.com/", "begin with https"],
    ["//example.com/", "complete URL"],
    ["https:example.com", "complete URL"],
    ["https:///example.com/", "complete URL"],
    ["https://a..example.com/", "public host"],
    ["https://user@example.com/", "user name"],
    ["https://@example.com/", "user name"],
    ["https://example.com:1023/", "port"],
    [" https://example.com/", "spaces"],
    ["https://exam\nple.com/", "spaces"],
    ["https://good.example\\@evil.example/", "backslashes"],
    ["https://example.com/\u0000", "controls"],
    ["https://example.com/\ud800", "Unicode"],
    [`https://${"\u4e2d\u6587.".repeat(40)}com/`, "253"],
    ["https://intranet/", "public host"],
  ])("is refused when it is %j", (url, reason) => {
    expect(reasonOf(url)).toContain(reason);
  });

  it("may have up to 2,048 characters, counted as code points", () => {
    const base = "https://example.com/";
    expect(reasonOf(base + "😀".repeat(2_048 - base.length))).toBe("passes");
    expect(reasonOf(base + "a".repeat(2_049 - base.length))).toContain("2048 characters");
  });

  it("is not repeated in the reason of its refusal", () => {
    expect(reasonOf("https://user:hunter2@example.com/")).not.toContain("hunter2");
  });
});

describe("the development allow-list", () => {
  const loopback = parseCidrs(["127.0.0.0/8", "::1"]);

  it.each([
    "http://127.0.0.1:80/",
    "http://localhost:3000/",
    "http://LOCALHOST.:3000/",
    "http://[::1]:1/",
    "http://[::ffff:127.0.0.1]/",
  ])("allows %s, with http and any port", (url) => {
    expect(reasonOf(url, loopback)).toBe("passes");
  });

  it.each([
    "https://10.0.0.1/",
    "http://example.com/",
    "https://a.localhost/",
    "http://169.254.169.254/",
    "http://user@127.0.0.1/",
  ])("does not allow %s", (url) => {
    expect(reasonOf(url, loopback)).not.toBe("passes");
  });

  it("does not allow localhost if it has other addresses only", () => {
    expect(reasonOf("http://localhost/", parseCidrs(["10.0.0.0/8"]))).not.toBe("passes");
  });

  it.each(["", "localhost", "127.0.0.0/33", "1.2.3.4/8/8", "::/129", "10.0.0.0/-1"])(
    "refuses the entry %j and names it",
    (entry) => {
      expect(() => parseCidrs(["10.0.0.0/8", entry])).toThrow(`"${entry}"`);
    },
  );
});

describe("an address", () => {
  it.each(["8.8.8.8", "1.1.1.1", "168.63.129.15", "2606:4700::1111", "2a00:1450::1"])(
    "is public: %s",
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each(["", "example.com", "127.1", "[::1]", "fe80::1%eth0", "::ffff:8.8.8.8", "1.2.3.4/8"])(
    "is not public, or not an address: %j",
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});
