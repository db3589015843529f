import { createHash, createPrivateKey, sign } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { findNewestCheckpoint } from "@/db/queries/ledger";
import { env } from "@/lib/runtime/env";
import { forgetProcessValue, processWide } from "@/lib/runtime/process-wide";
import { reencryptStored } from "@/lib/server/upkeep/reencrypt-stored";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { isSignedBy, signingKey } from "@/lib/signals/ledger/signing";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED } from "@/tests/support/mail";
import { storeMarket } from "@/tests/support/record-market";

useDatabase({ BASE_URL: "https://signed.example.test" });

const sql = () => db().$client;

/** The signing key that a newly started process loads. */
async function afterRestart() {
  forgetProcessValue(
    "memo.ledger-key",
    processWide<unknown>("memo.ledger-key", () => null),
  );
  return signingKey();
}

/** Adds entries to the ledger. Returns whether a signed checkpoint was published. */
async function grow(symbol: string): Promise<boolean> {
  await storeMarket({ symbol, nCandles: 60, nSignals: 3, seed: 5 });
  await enterIntoLedger(workerDb());
  return publishCheckpoint(workerDb());
}

const refusal = async () => (await sql()`select refusal from ledger_state`)[0]?.refusal ?? null;

beforeAll(() => rmSync(join(env().dataDir, "ledger-published.json"), { force: true }));
beforeEach(async () => {
  await afterRestart();
});

describe("the ledger's key", () => {
  it("the ledger's key is created once when three restarts need it at the same time", async () => {
    await sql()`truncate ledger_keys`;
    const keys = await Promise.all([afterRestart(), afterRestart(), afterRestart()]);
    expect(new Set(keys.map((key) => key?.publicKey.toString("hex"))).size).toBe(1);
    expect(await sql()`select id from ledger_keys`).toHaveLength(1);
  });

  it("the ledger's key stays when the encryption key is replaced, and continues to sign", async () => {
    expect(await grow("EURUSD")).toBe(true);
    const before = await signingKey();
    const former = env().encryptionKeys;
    const next = { version: 2, secret: "another-encryption-key-0123456789" };
    env().encryptionKeys = [next, ...former];
    await reencryptStored(db(), new Date(), NEVER_ABORTED);
    env().encryptionKeys = [next];
    expect((await afterRestart())?.publicKey).toEqual(before?.publicKey);
    expect(await grow("GBPUSD")).toBe(true);
    expect(await refusal()).toBeNull();
  });

  it("the ledger's key is that of the previous release if that key has signed a checkpoint", async () => {
    env().ledgerKey = "the-ledger-key-of-an-installation";
    await sql()`truncate ledger_keys, ledger_checkpoints`;
    const seed = createHash("sha256").update(`ledger:${env().ledgerKey}`).digest();
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const text = `signed.example.test/ledger\n1\n${Buffer.alloc(32).toString("base64")}\n`;
    const signed = Buffer.concat([Buffer.alloc(4), sign(null, Buffer.from(text), privateKey)]);
    const note = `${text}\n— signed.example.test/ledger ${signed.toString("base64")}\n`;
    await sql()`insert into ledger_checkpoints (size, root, note) values (1, decode(${"00".repeat(32)}, 'hex'), ${note})`;
    const key = await afterRestart();
    expect(key !== null && isSignedBy(note, key)).toBe(true);
    // The key is stored now and no longer depends on the variable.
    env().ledgerKey = null;
    expect((await afterRestart())?.publicKey).toEqual(key?.publicKey);
    expect(await grow("USDJPY")).toBe(true);
  });

  it("nothing is signed when another key signed the newest checkpoint, and answers have no signature", async () => {
    const newest = await findNewestCheckpoint(db());
    await sql()`truncate ledger_keys`;
    expect(await afterRestart()).toBeNull();
    expect(await grow("AUDUSD")).toBe(false);
    expect(await refusal()).toMatch(/key that is not available/);
    const { key } = await makeKey();
    const answer = await call("GET", "/api/scan?min_confidence=0.01", { key }).catch(
      (error: Error) => error.message,
    );
    expect(answer).toMatch(/lacks the documented header Signal-Receipt/);
    // A stored key that did not sign the newest checkpoint signs nothing either.
    await sql()`truncate ledger_checkpoints`;
    await afterRestart();
    await sql()`insert into ledger_checkpoints (size, root, note) values (${newest?.size ?? 0}, ${newest?.root ?? null}, ${newest?.note ?? ""})`;
    expect(await grow("NZDUSD")).toBe(false);
    expect((await findNewestCheckpoint(db()))?.size).toBe(newest?.size);
    const health = await call("GET", "/api/health");
    expect(health.json.reasons.join()).toMatch(/ledger_refused/);
  });
});
