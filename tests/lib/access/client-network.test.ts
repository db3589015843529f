import { describe, expect, it } from "vitest";
import { clientNetwork, loggedNetwork } from "@/lib/access/limits/client-network";

describe("clientNetwork", () => {
  it("clientNetwork returns IPv4 addresses, and texts that are no IP address, unchanged", () => {
    for (const address of ["203.0.113.9", "unknown", "client-17", ""])
      expect(clientNetwork(address)).toBe(address);
  });

  it("clientNetwork returns the /64 network of an IPv6 address in different spellings", () => {
    const same = [
      "2001:db8:0:7::1",
      "2001:0DB8::7:1:2:3:4",
      "2001:db8:0:7:ffff:ffff:ffff:ffff",
      "2001:db8:0:7::192.0.2.1",
    ];
    for (const address of same) expect(clientNetwork(address)).toBe("2001:db8:0:7::/64");
    expect(clientNetwork("2001:db8:0:8::1")).toBe("2001:db8:0:8::/64");
    expect(clientNetwork("::1")).toBe("0:0:0:0::/64");
    expect(clientNetwork("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
    expect(clientNetwork("64:ff9b::192.0.2.1")).toBe("64:ff9b:0:0::/64");
  });
});

describe("loggedNetwork", () => {
  it("loggedNetwork returns the /24 of an IPv4 and the /48 of an IPv6 address, and the word unknown for other texts", () => {
    expect(loggedNetwork("203.0.113.9")).toBe("203.0.113.0/24");
    expect(loggedNetwork("2001:db8:5:7::1")).toBe("2001:db8:5::/48");
    expect(loggedNetwork("::1")).toBe("0:0:0::/48");
    for (const text of ["unknown", "client-17", "", "a@example.com"])
      expect(loggedNetwork(text)).toBe("unknown");
  });
});
