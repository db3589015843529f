import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { storeModelClaim } from "@/db/queries/record";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { readRecord } from "@/lib/signals/record/read-record";
import { RecordQuery } from "@/lib/wire/contracts/record";
import { applySetting } from "@/tests/support/apply-setting";
import { useDatabase } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { useVerifier } from "@/tests/support/verifier";

useDatabase({ PUBLIC_CANDLES: "on", BASE_URL: "https://verified.example.test" });

const verifier = useVerifier();
const verify = () => verifier.verify();
const CLAIM = {
  ...{ n: 18_000, skill: 0.0123456789, skillLo: 0.0061, skillHi: 0.0187, ece: 0.0214, eceLo: 0.0113 },
  ...{ eceHi: 0.0314, directionalShare: 0.18, directionalShareLo: 0.161, directionalShareHi: 0.2 },
  maxDrawdownR: 22.5,
};
beforeAll(async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 700, nSignals: 300, seed: 11, ahead: 200 });
  await storeMarket({
    symbol: "XAUUSD",
    timeframe: "M15",
    nCandles: 900,
    nSignals: 400,
    seed: 12,
    ahead: 300,
  });
  await storeMarket({ symbol: "BTCUSD", timeframe: "D1", nCandles: 200, nSignals: 120, seed: 13, ahead: 50 });
  // Two models of one slot: a candle counts once.
  const shared = { symbol: "GBPUSD", nCandles: 200, nSignals: 80, seed: 14, ahead: 60 };
  for (const modelV of ["m1", "m2"]) await storeMarket({ ...shared, modelV });
  await storeMarket({ symbol: "UNKNOWN", nCandles: 130, nSignals: 40, seed: 15, ahead: 40 });
  const [eurusd] = await db().$client`select id from slots where symbol = 'EURUSD'`;
  await db().transaction((tx) => storeModelClaim(tx, { slotId: eurusd?.id, modelV: "m1", claim: CLAIM }));
  // Commitments are entered before outcomes, as in operation; signals with a past horizon are then too late for one.
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
});
/** Revealed signals, by whether their commitment preceded the next close. */
async function countRevealed(): Promise<{ inTime: number; later: number }> {
  const [row] = await db().$client`
    select count(*) filter (where e.at < g.closes_at + (g.closes_at - g.ts))::int as n, count(*)::int as of
      from ledger_signals l join signals g on g.id = l.signal_id left join ledger_entries e on e.index = l.commitment
     where l.reveal is not null`;
  return { inTime: row?.n, later: row?.of - row?.n };
}

/** Verifies while one path's answer is changed. */
const verifyWith = (pattern: string, from: RegExp, to: string) =>
  verifier.verifyWith((path, text) => (path.includes(pattern) ? text.replace(from, to) : text));

describe("the verifier", () => {
  it("the verifier recomputes every outcome and figure of the record from the ledger and the candles", async () => {
    verifier.refusals = 1;
    const { code, text } = await verify();
    expect(verifier.refusals, "it asks again where it has to wait").toBe(0);
    const { inTime, later } = await countRevealed();
    expect(inTime).toBeGreaterThan(500);
    expect(text).toContain(`with an outcome: ${inTime} signals. ${inTime} recomputed and right, 0 not`);
    expect(text).toContain(`Entered later: ${later} signals.`);
    const [seen] = await db().$client`
      with shares as (
        select greatest(0, extract(epoch from e.at - g.closes_at) / extract(epoch from g.closes_at - g.ts)) as share
          from ledger_signals l join signals g on g.id = l.signal_id join ledger_entries e on e.index = l.commitment
         where l.reveal is not null and e.at < g.closes_at + (g.closes_at - g.ts))
      select floor(100 * percentile_disc(0.5) within group (order by share))::int as half, floor(100 * max(share))::int as latest from shares`;
    expect(text).toContain(
      `Half of them were sealed by ${seen?.half} % of the candle after theirs, the latest by ${seen?.latest} %.`,
    );
    expect(text).toContain("Claims of models: 1.");
    const [free] = await db().$client`
      select count(*)::int as n from ledger_signals l join outcomes o on o.signal_id = l.signal_id
       where l.in_time and l.outcome is not null and o.result_r is not null and o.cost_value = 0`;
    expect(free?.n).toBeGreaterThan(0);
    expect(text).toContain(`${free?.n} with a direction were judged without a trading cost`);
    const { coverage } = await readRecord(RecordQuery.parse({}));
    // GBPUSD has two models, of whose signals a candle counts one; it has a cost.
    expect(coverage.n_without_cost).toBe(free?.n);
    expect(coverage.n_directional).toBeGreaterThan(coverage.n_without_cost);
    expect(code).toBe(0);
  });

  it("the verifier names the entry of a signal changed by one byte in the database", async () => {
    const sql = db().$client;
    const [signal] = await sql`
      select g.id, g.regime, l.reveal from signals g join ledger_signals l on l.signal_id = g.id
       where l.reveal is not null order by g.id offset 100 limit 1`;
    await sql`update signals set regime = 'RANGF' where id = ${signal?.id}`;
    const { code, text } = await verify();
    expect(code).toBe(1);
    expect(text).toContain(`WRONG entry ${signal?.reveal} (reveal signal/`);
    expect(text).toContain("regime is stored as RANGF, revealed as RANGE");
    await sql`update signals set regime = ${signal?.regime} where id = ${signal?.id}`;
    expect((await verify()).code).toBe(0);
  });

  it("the verifier names an outcome improved in the database, and the improved figure", async () => {
    const sql = db().$client;
    const [outcome] = await sql`
      select o.signal_id, o.result_r, l.outcome from outcomes o join ledger_signals l on l.signal_id = o.signal_id
       where o.result_r < 0 order by o.signal_id offset 10 limit 1`;
    await sql`update outcomes set result_r = 1 where signal_id = ${outcome?.signal_id}`;
    await sql`update record_results set r = r + 1000000 where forecaster = 'model' and day = (select min(day) from record_results)`;
    // Cached bodies belong to a ledger size.
    const { code, text } = await verifyWith("/record", /"total_r":-?[0-9.]+/, '"total_r":999');
    expect(code).toBe(1);
    expect(text).toContain(`WRONG entry ${outcome?.outcome} (outcome signal/`);
    expect(text).toMatch(/WRONG record\.total\.model\.total_r: is 999/);
    await sql`update outcomes set result_r = ${outcome?.result_r} where signal_id = ${outcome?.signal_id}`;
    await sql`update record_results set r = r - 1000000 where forecaster = 'model' and day = (select min(day) from record_results)`;
  });

  it.each([
    [
      "a checkpoint",
      "/ledger/checkpoint",
      /\n(\d)/,
      "\n9$1",
      /the signature of the checkpoint does not hold/,
    ],
    [
      "the content of an entry",
      "entries?start=0",
      /BTCUSD/,
      "BTCUSE",
      /entry \d+ \(.*its content is not what its leaf/,
    ],
    ["the hash of a leaf", "entries?start=0", /"leaf_hash":"(.)/, '"leaf_hash":"z', /entry 0 /],
    ["the time of an entry", "entries?start=0", /"at":"2/, '"at":"3', /entry 0 .*at is shown as 3/],
    ["a candle", "candles?symbol=EURUSD", /"high":(\d)/, '"high":9$1', /entry \d+ \(candles candles\/EURUSD/],
    ["a signal", "signals?limit", /"expected_rr":1.5/, '"expected_rr":1.6', /entry \d+ \(reveal signal/],
    [
      "the number of results without a cost",
      "/public/record",
      /"n_without_cost":[1-9]\d*/,
      '"n_without_cost":0',
      /WRONG record\.coverage\.n_without_cost: is 0/,
    ],
    [
      "whether a signal was entered later",
      "signals?limit",
      /"entered_later":false/,
      '"entered_later":true',
      /entry \d+ \(reveal/,
    ],
    [
      "a bin of the calibration",
      "/public/calibration",
      /"hit_rate":0\.(\d)/,
      '"hit_rate":0.9$1',
      /WRONG calibration\.total\.model\.bins\.\d\.hit_rate/,
    ],
    [
      "a part of the squared error",
      "/public/calibration",
      /"resolution":0/,
      '"resolution":1',
      /WRONG calibration\.total\.model\.decomposition\.resolution/,
    ],
    [
      "a claim",
      "/public/models",
      /"skill":\{"value":0\.012/,
      '"skill":{"value":0.022',
      /entry \d+ \(claim claim\/EURUSD\/H1\/m1\): skill of the claim is shown as/,
    ],
    [
      "a claim that is hidden",
      "/public/models",
      /"claim":\{.*?"result"/,
      '"claim":null,"result"',
      /entry \d+ \(claim claim\/EURUSD\/H1\/m1\)/,
    ],
    [
      "what came true of a model",
      "/public/models",
      /"max_drawdown_r":\{"value":(\d+)\.?\d*,"ci95":null\}\}\}/,
      '"max_drawdown_r":{"value":9$1,"ci95":null}}}',
      /WRONG model .*max_drawdown_r/,
    ],
  ])("the verifier names %s changed in transit", async (_what, pattern, from, to, named) => {
    const { code, text } = await verifyWith(pattern, from, to);
    expect(text).toMatch(named);
    expect(code).toBe(1);
  });

  it("the verifier names the entry, or the figure, of a bit flipped in transit, in eight drawn cases", {
    timeout: 120_000,
  }, async () => {
    const dice = new Dice(31);
    let where = "";
    // Only letters and digits after the heads of the answers; other changes break the JSON.
    const flip = (text: string): string => {
      for (;;) {
        const at = text.indexOf('"items":') + 9 + dice.below(text.length - text.indexOf('"items":') - 12);
        // The number of candles is not in the ledger.
        if (text.lastIndexOf('"coverage":', at) > text.lastIndexOf("}", at)) continue;
        const code = text.charCodeAt(at) ^ (1 << dice.below(4));
        if (/[a-zA-Z0-9]/.test(text[at] ?? "") && /[a-zA-Z1-9]/.test(String.fromCharCode(code))) {
          const flipped = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
          try {
            JSON.parse(flipped);
            where = `${text.slice(at - 30, at)}>${text[at]}<${text.slice(at + 1, at + 20)}`;
            return flipped;
          } catch {
            // Another position.
          }
        }
      }
    };
    for (const [part, named] of [
      ["entries?start=0", /WRONG entry \d+ \(/],
      ["entries?start=0", /WRONG entry \d+ \(/],
      ["entries?start=1000", /WRONG entry \d+ \(/],
      ["signals?limit", /WRONG entry \d+ \(/],
      ["signals?limit", /WRONG entry \d+ \(/],
      ["candles?symbol=XAUUSD", /WRONG entry \d+ \(/],
      ["/public/record", /WRONG record\./],
      ["/public/calibration", /WRONG calibration\./],
    ] as const) {
      // The same bit in every answer at the address, since the verifier reads candles that differ again.
      let flipped: { path: string; text: string } | undefined;
      const { code, text } = await verifier.verifyWith((path, text) => {
        if (!path.includes(part)) return text;
        flipped ??= { path, text: flip(text) };
        return path === flipped.path ? flipped.text : text;
      });
      expect(text, `${part}: ${where}`).toMatch(named);
      expect(code).toBe(1);
    }
  });

  it("the verifier finds an entry that was changed together with its hash", async () => {
    const { code, text } = await verifier.verifyWith((path, text) => {
      if (!path.includes("entries?start=0")) return text;
      const answer = JSON.parse(text);
      const entry = answer.items[77];
      entry.content = entry.content.replace("signal", "sighal");
      entry.leaf_hash = createHash("sha256").update(Buffer.of(0)).update(entry.content).digest("hex");
      return JSON.stringify(answer);
    });
    expect(text).toMatch(/WRONG entry 77 .*it is not in the tree that was signed/);
    expect(code).toBe(1);
  });

  it("the verifier accepts a corrected candle, and counts the sealed outcomes that would differ by it", async () => {
    const sql = db().$client;
    const [candle] = await sql`
      select c.slot_id, c.ts from candles c join slots s on s.id = c.slot_id where s.symbol = 'EURUSD' order by c.ts offset 450 limit 1`;
    await sql`update candles set high = high + 1 where slot_id = ${candle?.slot_id} and ts = ${candle?.ts}`;
    await enterIntoLedger(workerDb());
    await publishCheckpoint(workerDb());
    const { code, text } = await verify();
    expect(code).toBe(0);
    expect(text).toMatch(
      /By candles that were corrected later, [1-9]\d* of them would have another outcome\./,
    );
  });

  it("the verifier waits for the entry of a correction that is made while it runs", async () => {
    const sql = db().$client;
    let candlesRead = 0;
    const { code, text } = await verifier.verifyWith(async (path, text) => {
      if (path.startsWith("/api/public/signals"))
        await sql`
          update candles set high = high + 0.5 where (slot_id, ts) = (
            select c.slot_id, c.ts from candles c join slots s on s.id = c.slot_id
             where s.symbol = 'EURUSD' order by c.ts offset 455 limit 1)`;
      // Entered only after the verifier has read the candles.
      if (path.startsWith("/api/public/candles?symbol=EURUSD") && ++candlesRead === 1) {
        await enterIntoLedger(workerDb());
        await publishCheckpoint(workerDb());
      }
      return text;
    });
    expect(candlesRead).toBe(2);
    expect(text).not.toContain("WRONG");
    expect(code).toBe(0);
  });

  it("the verifier reports a changed candle as wrong when entries made since do not explain it", async () => {
    const { code, text } = await verifier.verifyWith(async (path, text) => {
      if (!path.startsWith("/api/public/candles?symbol=EURUSD")) return text;
      // The ledger grows by a correction of another slot.
      await db().$client`
        update candles set high = high + 0.5 where (slot_id, ts) = (
          select c.slot_id, c.ts from candles c join slots s on s.id = c.slot_id
           where s.symbol = 'GBPUSD' order by c.ts offset 100 limit 1)`;
      await enterIntoLedger(workerDb());
      await publishCheckpoint(workerDb());
      return text.replace(/"high":(\d)/, '"high":9$1');
    });
    expect(text).toMatch(/WRONG entry \d+ \(candles candles\/EURUSD/);
    expect(code).toBe(1);
  });

  it("the verifier exits with 2, and calls nothing wrong, when the service cannot be read", async () => {
    let broken = 0;
    const twice = await verifier.verifyWith((path, text) =>
      path.startsWith("/api/public/signals") && broken++ < 2 ? null : text,
    );
    expect(twice).toMatchObject({ code: 0, text: expect.not.stringContaining("WRONG") });
    for (const change of [() => null, () => "<html>"])
      expect(
        await verifier.verifyWith((path, text) => (path.startsWith("/api/public/candles") ? change() : text)),
      ).toMatchObject({
        code: 2,
        text: expect.stringMatching(
          /^Stopped before the end: GET \/api\/public\/candles[\s\S]*The record could not be verified/,
        ),
      });
  });

  it("the verifier lists the outcomes that it could not recompute without public candles, and exits with 3", async () => {
    await applySetting("public_record", { candles: "off" });
    const { code, text } = await verify();
    await applySetting("public_record", null);
    const { inTime } = await countRevealed();
    expect(text).toContain(`0 recomputed and right, ${inTime} not recomputed.`);
    for (const slot of ["EURUSD/H1", "XAUUSD/M15", "BTCUSD/D1"])
      expect(text).toMatch(new RegExp(`\\d+ not recomputed: ${slot}: its candles are not shown`));
    expect(code).toBe(3);
  });

  it("the verifier names a claim sealed after the first signal of its model", async () => {
    const slot = await db().$client`select id from slots where symbol = 'XAUUSD'`;
    await db().transaction((tx) => storeModelClaim(tx, { slotId: slot[0]?.id, modelV: "m1", claim: CLAIM }));
    await enterIntoLedger(workerDb());
    await publishCheckpoint(workerDb());
    const { code, text } = await verify();
    expect(text).toMatch(
      /WRONG entry \d+ \(claim claim\/XAUUSD\/M15\/m1\): was sealed after the first signal of its model/,
    );
    expect(code).toBe(1);
  });
});
