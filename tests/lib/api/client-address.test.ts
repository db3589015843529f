import { describe, expect, it } from "vitest";
import { resolveClientAddress } from "@/lib/api/client-address";

describe("resolveClientAddress", () => {
  it("believes no header without trusted proxies", () => {
    expect(resolveClientAddress("203.0.113.9", "198.51.100.1", 0)).toBe("203.0.113.9");
  });

  it("takes the entry that the outermost trusted proxy wrote", () => {
    expect(resolveClientAddress("10.0.0.1", "198.51.100.1", 1)).toBe("198.51.100.1");
    expect(resolveClientAddress("10.0.0.1", "198.51.100.1, 10.0.0.2", 2)).toBe("198.51.100.1");
  });

  it("ignores what a client wrote further left", () => {
    expect(resolveClientAddress("10.0.0.1", "1.1.1.1, 198.51.100.1", 1)).toBe("198.51.100.1");
    expect(resolveClientAddress("10.0.0.1", "1.1.1.1,2.2.2.2,198.51.100.1,10.0.0.2", 2)).toBe("198.51.100.1");
  });

  it("falls back to the socket without the header or with an empty entry", () => {
    expect(resolveClientAddress("10.0.0.1", undefined, 1)).toBe("10.0.0.1");
    expect(resolveClientAddress("10.0.0.1", "1.1.1.1, ", 1)).toBe("10.0.0.1");
  });

  it("writes mapped IPv4 addresses plainly, and caps what a proxy hands on", () => {
    expect(resolveClientAddress("::ffff:203.0.113.9", undefined, 0)).toBe("203.0.113.9");
    expect(resolveClientAddress("10.0.0.1", "x".repeat(500), 1)).toHaveLength(64);
    expect(resolveClientAddress("", undefined, 0)).toBe("unknown");
  });
});
