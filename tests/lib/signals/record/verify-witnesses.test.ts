import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { findNewestCheckpoint } from "@/db/queries/ledger";
import { env } from "@/lib/runtime/env";
import { forgetProcessValue, processWide } from "@/lib/runtime/process-wide";
import { countWithheldCommitments, listDelayContents } from "@/lib/signals/ledger/delays";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { createNextSigningKey, loadOrCreateSigningKey } from "@/lib/signals/ledger/signing";
import { evidenceNeeded } from "@/lib/signals/record/figures";
import { readRecord } from "@/lib/signals/record/read-record";
import { RecordQuery } from "@/lib/wire/contracts/record";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { useVerifier } from "@/tests/support/verifier";

useDatabase({ PUBLIC_CANDLES: "on", BASE_URL: "https://witness.example.test" });

const verifier = useVerifier();
const sql = () => db().$client;

async function enter(): Promise<void> {
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
}

/** Size and root hash of the newest checkpoint as `size:hash`, as recurring mails show them. */
async function head(): Promise<string> {
  const newest = await findNewestCheckpoint(db());
  return `${newest?.size}:${Buffer.from(newest?.root ?? []).toString("hex")}`;
}

/** Runs an action while the commitments of M15 slots appear two days older. The entries are restored afterwards. */
async function twoDaysOn(run: () => Promise<void>): Promise<void> {
  const move = (days: number) =>
    sql().unsafe(`
      alter table ledger_entries disable trigger user;
      update ledger_entries set at = at - interval '${days} days'
       where kind = 'commitment' and content like '%"timeframe":"M15"%';
      alter table ledger_entries enable trigger user;`);
  await move(2);
  await run().finally(() => move(-2));
}

let key: string;
beforeAll(async () => {
  rmSync(join(env().dataDir, "ledger-published.json"), { force: true });
  ({ key } = await makeKey());
  await storeMarket({ symbol: "EURUSD", nCandles: 400, nSignals: 120, seed: 21 });
  await resolveOutcomesNow();
  await enter();
});

describe("exit codes of the verifier", () => {
  it("the verifier exits with 3 while every entry is late, with a note that nothing is proved", async () => {
    const { code, text } = await verifier.verify();
    expect(text).toContain("Committed in time, with an outcome: 0 signals.");
    expect(text).toMatch(/Entered later: 108 signals\. They prove nothing/);
    expect(text).toContain("Nothing is proved yet");
    expect(code).toBe(3);
  });

  it("the verifier exits with 0 when everything committed in time was checked", async () => {
    await storeMarket({ symbol: "GBPUSD", nCandles: 400, nSignals: 120, seed: 22, ahead: 60 });
    await enter();
    await resolveOutcomesNow();
    await enter();
    const { code, text } = await verifier.verify();
    expect(text).toMatch(/Committed in time, with an outcome: 49 signals\. 49 recomputed and right, 0 not/);
    expect(code).toBe(0);
  });
});

describe("a transferred key", () => {
  const signer = (text: string) => /signed by (\S+)/.exec(text)?.[1] ?? "";

  it("a transferred key is accepted with the previous vkey, and an unrelated vkey is refused", async () => {
    const former = signer((await verifier.verify()).text);
    await createNextSigningKey(db());
    await expect(createNextSigningKey(db())).rejects.toThrow();
    await enter();
    const newest = await findNewestCheckpoint(db());
    expect(newest !== null && (await loadOrCreateSigningKey(db()))?.publicKey.toString("base64")).not.toBe(
      Buffer.from(former.split("+").at(-1) ?? "", "base64")
        .subarray(1)
        .toString("base64"),
    );
    expect(await verifier.verify([former])).toMatchObject({ code: 0 });
    forgetProcessValue(
      "memo.ledger-key",
      processWide<unknown>("memo.ledger-key", () => null),
    );
    const { code, text } = await verifier.verify();
    expect(signer(text)).not.toBe(former);
    expect(code).toBe(0);
    expect(await verifier.verify([former])).toMatchObject({ code: 0 });
    const [origin, bytes] = ["witness.example.test/ledger", Buffer.alloc(33, 1)];
    const id = createHash("sha256").update(`${origin}\n`).update(bytes).digest("hex").slice(0, 8);
    const other = `${origin}+${id}+${bytes.toString("base64")}`;
    expect(await verifier.verify([other])).toMatchObject({
      code: 1,
      text: expect.stringContaining("is no key of this ledger"),
    });
  });

  it("the verifier refuses a hand-over to a new signing key that the previous key did not sign", async () => {
    const { code, text } = await verifier.verifyWith((path, text) =>
      path.includes("entries")
        ? text.replace(/(\\"signature\\":\\")(.)/, (_, before, first) => before + (first === "z" ? "y" : "z"))
        : text,
    );
    expect(text).toMatch(/WRONG entry \d+ \(handover handover\/2\)/);
    expect(code).toBe(1);
  });
});

describe("a saved head", () => {
  let kept: string;

  it("a saved head is contained in the larger ledger", async () => {
    kept = await head();
    await storeMarket({ symbol: "USDJPY", nCandles: 300, nSignals: 40, seed: 23, ahead: 20 });
    await enter();
    expect(await head()).not.toBe(kept);
    const { code, text } = await verifier.verify(["--head", kept, "--head", await head()]);
    expect(text).toContain("Heads that were kept: 2");
    expect(code).toBe(0);
  });

  it("a saved head is refused with another root, or with more entries than the ledger", async () => {
    const [size, root = ""] = kept.split(":");
    const other = `${size}:${root.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}`;
    expect(await verifier.verify(["--head", other])).toMatchObject({
      code: 1,
      text: expect.stringContaining(`WRONG head ${other}`),
    });
    expect((await verifier.verify(["--head", `999999:${root}`])).code).toBe(1);
    expect((await verifier.verify(["--head", "nonsense"])).code).toBe(1);
  });

  it("a saved head exposes a rewritten ledger with valid signatures and proofs", async () => {
    // The whole ledger rewritten, with new salts and invented losers.
    await sql().unsafe(`
      alter table ledger_entries disable trigger user;
      truncate ledger_entries, ledger_nodes, ledger_checkpoints, ledger_signals, sealed_candle_ranges, ledger_outbox,
               record_days, record_results, record_bins, record_overlaps;
      update ledger_state set size = 0, last_seq = 0, folded = 0, record_rule = null;
      alter table ledger_entries enable trigger user;`);
    rmSync(join(env().dataDir, "ledger-published.json"), { force: true });
    // Larger than before, because figures are cached by ledger size.
    await storeMarket({ symbol: "NZDUSD", nCandles: 400, nSignals: 300, seed: 26 });
    await resolveOutcomesNow();
    await enter();
    expect(Number((await head()).split(":")[0])).toBeGreaterThan(Number(kept.split(":")[0]));
    const without = await verifier.verify();
    expect(without.text).not.toContain("WRONG");
    expect(without.code).toBe(3);
    const { code, text } = await verifier.verify(["--head", kept]);
    expect(text).toContain(`WRONG head ${kept}`);
    expect(code).toBe(1);
  });
});

describe("an unrevealed commitment", () => {
  it("an unrevealed commitment is withheld, named and counted when its horizon ended more than a day ago", async () => {
    await storeMarket({
      symbol: "XAUUSD",
      timeframe: "M15",
      nCandles: 300,
      nSignals: 20,
      seed: 24,
      ahead: 20,
    });
    await enter();
    // Three hours of horizon, one day, and the rest of today.
    const before = await verifier.verify([], 1.1);
    expect(before.text).toContain("Withheld: 0.");
    const { code, text } = await verifier.verify([], 1.2);
    expect(text).toMatch(/WRONG entry \d+ \(commitment signal\/\d+\): is withheld/);
    expect(text).toContain("Withheld: 20.");
    expect(code).toBe(1);
  });

  it("an unrevealed commitment without a timeframe is not yet withheld after 1.2 days", async () => {
    const unnamed = (path: string, text: string) =>
      path.includes("entries") ? text.replaceAll('\\"timeframe\\":\\"M15\\"', '\\"tf\\":\\"M15\\"') : text;
    expect((await verifier.verifyWith(unnamed, 1.2)).text).toContain("Withheld: 0.");
  });

  it("an unrevealed commitment needs a fitting reason: a closed market, missing candles or a withdrawn slot", async () => {
    const reasons = async (days: number) => [
      ...new Set(
        (await listDelayContents(db(), new Date(Date.now() + 86_400_000 * days))).map(
          ({ body }) => body.reason,
        ),
      ),
    ];
    await twoDaysOn(async () => {
      expect(await reasons(0)).toEqual(["market_closed"]);
      expect(await reasons(7)).toEqual(["candles_missing"]);
      await sql()`update models set is_active = false where slot_id = (select id from slots where symbol = 'XAUUSD')`;
      expect(await reasons(7)).toEqual(["slot_withdrawn"]);
    });
  });

  it("an unrevealed commitment is not withheld when an entry gives the reason", async () => {
    await twoDaysOn(async () => {
      expect(await countWithheldCommitments(db())).toBe(20);
      await enter();
      expect(await countWithheldCommitments(db())).toBe(0);
      expect(await enterIntoLedger(workerDb())).toBe(0);
    });
    const { code, text } = await verifier.verify([], 1.2);
    expect(text).toContain("20 delayed: market_closed");
    expect(text).toContain("Withheld: 0.");
    expect(code).toBe(3);
  });

  it("an unrevealed commitment is withheld despite its reason a day after candles of a whole horizon were entered", async () => {
    const [withheld] = await sql()`
      delete from ledger_signals where signal_id = (
        select min(g.id) from signals g join slots s on s.id = g.slot_id where s.symbol = 'XAUUSD') returning commitment`;
    await resolveOutcomesNow();
    await enter();
    const { code, text } = await verifier.verify([], 1.2);
    expect(text.match(/WRONG .* is no reason/g)).toHaveLength(1);
    expect(text).toMatch(
      new RegExp(`WRONG entry ${withheld?.commitment} .*: is withheld: market_closed is no reason`),
    );
    expect(code).toBe(1);
  });

  it("a commitment that is delayed because candles are missing counts its slot in the evidence needed, though it has no results", async () => {
    const silent = { symbol: "USDCHF", timeframe: "M15", nCandles: 300, nSignals: 20, seed: 28 } as const;
    await storeMarket({ symbol: "EURCHF", nCandles: 400, nSignals: 120, seed: 27, ahead: 60 });
    await storeMarket({ ...silent, ahead: 20 });
    // The seller keeps the candles back.
    await sql()`delete from candles where slot_id = (select id from slots where symbol = 'USDCHF')`;
    await enter();
    const needed = async () => {
      const { items, overall } = await readRecord(RecordQuery.parse({}));
      const values = items.map(({ evidence }) => evidence.direction.value);
      expect(items.map(({ symbol }) => symbol)).not.toContain("USDCHF");
      return { n: items.length, needed: items[0]?.evidence.direction.needed, values, overall };
    };
    await resolveOutcomesNow();
    await enter();
    const before = await needed();
    expect(before.needed).toBe(evidenceNeeded(before.n));
    await twoDaysOn(enter);
    const { n, values, overall, ...after } = await needed();
    expect(after.needed).toBe(evidenceNeeded(n + 1));
    expect(overall?.direction.value).toBeCloseTo(values.reduce((sum, one) => sum + one, 0) / (n + 1), 5);
    expect((await verifier.verify()).text).not.toMatch(/WRONG record/);
  });
});

describe("a suppressed outcome", () => {
  it("a suppressed outcome is named when the signal is revealed as having no history", async () => {
    await storeMarket({ symbol: "AUDUSD", nCandles: 400, nSignals: 120, seed: 25, ahead: 60 });
    await enter();
    await sql()`
      delete from open_outcomes where signal_id in (
        select g.id from signals g join slots s on s.id = g.slot_id where s.symbol = 'AUDUSD' order by g.ts offset 80 limit 5)`;
    await resolveOutcomesNow();
    await enter();
    const { code, text } = await verifier.verify();
    expect(
      text.match(/WRONG entry \d+ \(outcome signal\/\d+\): has no outcome for want of history/g),
    ).toHaveLength(5);
    expect(code).toBe(1);
  });
});

describe("a receipt", () => {
  const file = join(tmpdir(), `receipt-${process.pid}.txt`);
  /** The output of `curl -si`. */
  async function save(path: string, change = (text: string) => text): Promise<void> {
    const answer = await fetch(verifier.base() + path, { headers: { "X-API-Key": key } });
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    writeFileSync(file, change(`HTTP/1.1 200 OK\r\n${headers}\r\n${await answer.text()}`));
  }

  it.each(["/api/scan", "/api/signals/EURUSD/H1?limit=50"])("the receipt of %s verifies", async (path) => {
    await save(path);
    const { text } = await verifier.verify(["--receipt", file]);
    expect(text).toMatch(/Receipts: 1\. \d+ signals are in the ledger as they were sent/);
    expect(text).not.toContain("WRONG receipt");
  });

  it("a receipt fails when a byte of the answer, or its number, differs", async () => {
    for (const change of [
      (text: string) => text.replace("BUY", "SEL"),
      (text: string) => text.replace(/seq=\d/, "seq=9"),
      (text: string) => text.replace(/^signal-receipt.*\r\n/im, ""),
    ]) {
      await save("/api/signals/EURUSD/H1", change);
      const { code, text } = await verifier.verify(["--receipt", file]);
      expect(text).toContain(`WRONG receipt ${file}: its signature does not hold`);
      expect(code).toBe(1);
    }
  });

  it("a receipt shows that a signal other than the one in the ledger was sent", async () => {
    const [signal] = await sql()`
      select g.id, g.regime from signals g join slots s on s.id = g.slot_id join ledger_signals l on l.signal_id = g.id
       where s.symbol = 'EURUSD' and l.reveal is not null order by g.ts desc limit 1`;
    await sql()`update signals set regime = 'TREND_UP' where id = ${signal?.id}`;
    await save("/api/signals/EURUSD/H1?limit=77");
    await sql()`update signals set regime = ${signal?.regime} where id = ${signal?.id}`;
    const { code, text } = await verifier.verify(["--receipt", file]);
    expect(text).toMatch(/WRONG receipt .*: the ledger has another signal of EURUSD\/H1/);
    expect(code).toBe(1);
    rmSync(file);
  });
});
