import { describe, expect, it } from "vitest";
import { safeReturnPath } from "@/lib/auth/safe-return-path";

describe("the redirect after sign-in", () => {
  it.each([
    "https://evil.test",
    "//evil.test",
    "/\\evil.test",
    "/\t/evil.test/portal",
    "http://here.invalid@evil.test/portal",
    "/portal//evil.test",
    "/portal/../login/sign-out",
    "/portal/%2e%2e/admin",
    "/portal\\..\\..\\admin",
    "/admin",
    "/portals",
    "/PORTAL",
    "portal",
    "javascript:x",
    "",
    `/portal?${"x".repeat(1_000)}`,
    ["/portal/key", "/portal/key"],
    null,
    undefined,
  ])("the redirect after sign-in never goes to %j", (next) =>
    expect(safeReturnPath(next, "/portal")).toBe("/portal"),
  );

  it.each([
    ["/portal/executions?symbol=EURUSD&days=30", "/portal/executions?symbol=EURUSD&days=30"],
    ["/portal/signals?from=2026-11-01%2B", "/portal/signals?from=2026-11-01%2B"],
    ["/portal/key#rotate", "/portal/key"],
  ])("the redirect after sign-in may go to a page of the portal with its filters: %j", (next, address) => {
    expect(safeReturnPath(next, undefined)).toBe(address);
    expect(new URL(address, "https://signals.example").origin).toBe("https://signals.example");
  });
});
