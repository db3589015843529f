import { createHash, createPublicKey, verify } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type SigningKey, signingKey } from "@/lib/signals/ledger/signing";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const newest = new Date(Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000);
const signal = (symbol: string, hoursBack = 0) => ({
  symbol,
  timeframe: "H1",
  signal: "BUY",
  model_v: "m-1",
  ts: `${new Date(newest.getTime() - hoursBack * 3_600_000).toISOString().slice(0, 19)}Z`,
  ...{ confidence: 0.6, prob_buy: 0.6, prob_sell: 0.2, prob_no: 0.2, regime: "RANGE", expected_rr: 1.5 },
});
const ingest = (items: unknown[]) => call("POST", "/admin/ingest/signals", { admin: true, body: { items } });

interface Receipt {
  path: string;
  seq: number;
  at: number;
  key: string;
  sig: string;
}

function receiptOf({ headers }: { headers: Headers }): Receipt {
  const text = headers.get("signal-receipt") ?? "";
  const [, path, seq, at, key, sig] =
    /^path="([^"]+)", seq=(\d+), at=(\d+), key="([0-9a-f]{8})", sig=:([A-Za-z0-9+/=]+):$/.exec(text) ?? [];
  return { path: path ?? "", seq: Number(seq), at: Number(at), key: key ?? "", sig: sig ?? "" };
}

let ledger: SigningKey;
function holds({ path, seq, at, sig }: Receipt, body: string): boolean {
  const hash = createHash("sha256").update(body).digest("hex");
  const text = `signal-receipt\n${ledger.origin}\n${path}\n${seq}\n${at}\n${hash}\n`;
  return verify(null, Buffer.from(text), createPublicKey(ledger.privateKey), Buffer.from(sig, "base64"));
}

let key: string;
beforeAll(async () => {
  ({ key } = await makeKey());
  const found = await signingKey();
  if (found === null) throw new Error("there is no key");
  ledger = found;
  await ingest([signal("EURUSD", 1), signal("GBPUSD")]);
});

describe("signed answers", () => {
  it.each([
    ["/api/scan", "/api/scan"],
    ["/api/scan?min_confidence=0.5&expand=range", "/api/scan"],
    ["/api/signals/eurusd/h1?limit=5", "/api/signals/EURUSD/H1"],
  ])("the signature of %s verifies over the exact body, path and sequence", async (asked, path) => {
    const answer = await call("GET", asked, { key });
    const receipt = receiptOf(answer);
    expect(receipt).toMatchObject({ path, key: ledger.keyId.toString("hex") });
    expect(holds(receipt, answer.text)).toBe(true);
    expect(holds(receipt, answer.text.replace("BUY", "SELL"))).toBe(false);
    expect(holds({ ...receipt, seq: receipt.seq + 1 }, answer.text)).toBe(false);
    expect(holds({ ...receipt, path: "/api/signals/XAUUSD/H1" }, answer.text)).toBe(false);
  });

  it("a cached body keeps its signature in repeated answers, until a new signal arrives", async () => {
    const other = (await makeKey()).key;
    const first = receiptOf(await call("GET", "/api/scan", { key }));
    for (const asking of [key, other, key]) {
      const answer = await call("GET", "/api/scan", { key: asking });
      expect(receiptOf(answer)).toEqual(first);
      expect(Number(answer.headers.get("signal-seq"))).toBe(first.seq);
    }
    await ingest([signal("EURUSD")]);
    const next = receiptOf(await call("GET", "/api/scan", { key }));
    expect(next.seq).toBeGreaterThan(first.seq);
  });

  it("an answer with the ages of its signals, or a 304, has no signature", async () => {
    const withAges = await call("GET", "/api/scan?expand=validity", { key });
    expect(withAges.status).toBe(200);
    expect(withAges.headers.get("signal-receipt")).toBeNull();
    const { headers } = await call("GET", "/api/scan", { key });
    const held = await call("GET", "/api/scan", {
      key,
      headers: { "If-None-Match": headers.get("etag") ?? "" },
    });
    expect(held.status).toBe(304);
    expect(held.headers.get("signal-receipt")).toBeNull();
  });
});
