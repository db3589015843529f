import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyHint } from "@/lib/access/keys/key-text";
import { newKey } from "@/lib/access/keys/new-key";
import { decrypt, encrypt, isSameSecret, sha256 } from "@/lib/runtime/secrets";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "signal-secrets-"));
  // The test runner sets a BASE_URL that is not an address.
  Object.assign(process.env, { BASE_URL: "", NODE_ENV: "test", DATA_DIR: directory });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("encrypt and decrypt", () => {
  it("encrypt and decrypt round-trip an empty, a short, a non-Latin and a very long text", () => {
    for (const plain of ["", "3f2a-key", "schlüssel 鍵", "x".repeat(100_000)]) {
      expect(decrypt(encrypt(plain))).toBe(plain);
    }
  });

  it("encryption gives different ciphertexts for the same text, and no ciphertext contains it", () => {
    expect(encrypt("visible-secret")).not.toBe(encrypt("visible-secret"));
    expect(encrypt("visible-secret")).not.toContain("visible");
  });

  it("decryption refuses changed, truncated and other-version ciphertexts", () => {
    const sealed = encrypt("secret");
    const parts = sealed.split(".");
    for (const index of [1, 2, 3]) {
      const changed = [...parts];
      const flipped = Buffer.from(changed[index]!, "base64url");
      flipped[0]! ^= 1;
      changed[index] = flipped.toString("base64url");
      expect(() => decrypt(changed.join("."))).toThrow();
    }
    expect(() => decrypt(parts.slice(0, 3).join("."))).toThrow();
    expect(() => decrypt(sealed.replace("v1", "v2"))).toThrow();
    expect(() => decrypt("")).toThrow();
  });

  it("decryption refuses a shortened tag", () => {
    const parts = encrypt("secret").split(".");
    parts[3] = Buffer.from(parts[3]!, "base64url").subarray(0, 4).toString("base64url");
    expect(() => decrypt(parts.join("."))).toThrow();
  });
});

describe("isSameSecret", () => {
  it("isSameSecret compares texts by content, also of different lengths", () => {
    expect(isSameSecret("abc", "abc")).toBe(true);
    expect(isSameSecret("abc", "abd")).toBe(false);
    expect(isSameSecret("abc", "abcd")).toBe(false);
    expect(isSameSecret("", "")).toBe(true);
  });
});

describe("newKey", () => {
  it("newKey returns a UUID with its hash and a hint of its first and last four characters", () => {
    const { apiKey, keyHash, hint } = newKey();
    expect(apiKey).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keyHash).toBe(sha256(apiKey));
    expect(hint).toBe(`${apiKey.slice(0, 4)}****${apiKey.slice(-4)}`);
    expect(keyHint("3f2a0000-0000-4000-8000-00000000c91b")).toBe("3f2a****c91b");
  });
});
