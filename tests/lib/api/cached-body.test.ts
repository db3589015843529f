import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { cachedBody } from "@/lib/api/cached-body";
import { type SigningKey, signingKey } from "@/lib/signals/ledger/signing";
import { useDatabase } from "@/tests/support/database";

vi.mock(import("@/lib/signals/ledger/signing"), async (original) => ({
  ...(await original()),
  signingKey: vi.fn<() => Promise<SigningKey | null>>(),
  signReceipt: () => "signed",
}));
vi.mock(import("@/lib/runtime/log"), async (original) => ({ ...(await original()), log: vi.fn() }));
const { log } = await import("@/lib/runtime/log");

useDatabase();

const Answer = z.object({ n: z.number() });
const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 10, 0, second));
let computed = 0;
const read = async (key: string, second: number) => {
  const of = {
    name: "unsigned-test",
    key,
    version: 1,
    now: at(second),
    signed: { path: "/api/scan", seq: 7 },
  };
  const { headers } = await cachedBody(Answer, of, async () => {
    computed++;
    return { value: { n: 1 }, validUntil: null };
  });
  return headers?.["Signal-Receipt"] ?? null;
};

beforeEach(() => {
  computed = 0;
  vi.mocked(log).mockClear();
});

describe("a body that cannot be signed", () => {
  it("a body that cannot be signed for a database error is sent unsigned and logged, and the next body is signed", async () => {
    vi.mocked(signingKey).mockRejectedValueOnce(new Error("the connection was lost"));
    vi.mocked(signingKey).mockResolvedValue({} as SigningKey);
    expect(await read("error", 0)).toBeNull();
    expect(vi.mocked(log).mock.calls.map(([level]) => level)).toEqual(["warn"]);
    expect(await read("error", 2)).toBe("signed");
    expect(await read("error", 9)).toBe("signed");
    expect(computed).toBe(2);
  });

  it("without the ledger's key, an unsigned body is cached like a signed one, and nothing is logged", async () => {
    vi.mocked(signingKey).mockResolvedValue(null);
    expect(await read("none", 0)).toBeNull();
    expect(await read("none", 9)).toBeNull();
    expect(computed).toBe(1);
    expect(log).not.toHaveBeenCalled();
  });
});
