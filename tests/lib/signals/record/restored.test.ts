import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { findNewestCheckpoint } from "@/db/queries/ledger";
import { env } from "@/lib/runtime/env";
import { restoreBackup, takeBackup } from "@/lib/server/upkeep/backup";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { readRecord } from "@/lib/signals/record/read-record";
import { RecordQuery } from "@/lib/wire/contracts/record";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { withDatabase } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { useVerifier } from "@/tests/support/verifier";

useDatabase({ MARKET_FEED: "off", PUBLIC_CANDLES: "on", BASE_URL: "https://restored.example.test" });

const verifier = useVerifier();
const directory = temporaryDirectory("ledger-backup-");
const PASSPHRASE = "correct horse battery staple";
const target = `restored_${randomUUID().slice(0, 8)}`;
let server: postgres.Sql;

async function enter(): Promise<void> {
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
}

const record = () => readRecord(RecordQuery.parse({}));
const signer = (text: string) => /signed by (\S+)/.exec(text)?.[1] ?? "";

/** Restarts this process's state on the restored database. */
function startOn(address: string): void {
  const holder = globalThis as unknown as Record<symbol, Map<string, unknown>>;
  holder[Symbol.for("signal-delivery-service.registry")]?.clear();
  process.env.DATABASE_URL = address;
  delete process.env.DATABASE_DIRECT_URL;
}

beforeAll(async () => {
  server = connectDirectly(1);
  rmSync(join(env().dataDir, "ledger-published.json"), { force: true });
  await storeMarket({ symbol: "EURUSD", nCandles: 300, nSignals: 80, seed: 71, ahead: 60 });
  await enter();
  await resolveOutcomesNow();
  await enter();
});
afterAll(async () => {
  await Promise.all([db().$client.end(), workerDb().$client.end()]);
  await server.unsafe(`drop database if exists ${target} with (force)`);
  await server.end();
});

describe("a service restored from its backup", () => {
  it("a restored service signs with the same key, and its ledger continues from the saved head", async () => {
    const before = await verifier.verify();
    expect(before.code, before.text).toBe(0);
    const newest = await findNewestCheckpoint(db());
    const head = `${newest?.size}:${Buffer.from(newest?.root ?? []).toString("hex")}`;
    const figures = await record();

    const address = process.env.DATABASE_URL ?? "";
    const { file } = await takeBackup(address, { dir: directory, passphrase: PASSPHRASE, keep: 1 });
    await server.unsafe(`create database ${target}`);
    await restoreBackup(join(directory, file), PASSPHRASE, withDatabase(address, target));
    startOn(withDatabase(address, target));
    expect(await record()).toEqual(figures);

    await storeMarket({ symbol: "GBPUSD", nCandles: 300, nSignals: 80, seed: 72, ahead: 60 });
    await enter();
    await resolveOutcomesNow();
    await enter();
    expect((await findNewestCheckpoint(db()))?.size).toBeGreaterThan(newest?.size ?? 0);
    const vkey = signer(before.text);
    const { code, text } = await verifier.verify([vkey, "--head", head]);
    expect(text).not.toContain("WRONG");
    expect(signer(text)).toBe(vkey);
    expect(code).toBe(0);
  });
});
