import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { parseMarketFeed } from "@/lib/runtime/feed-plan";
import { runFeeds } from "@/lib/signals/feeds/run-feeds";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

let sql: postgres.Sql;
let folder: string;
let stop: () => Promise<void>;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());
beforeEach(async () => {
  await sql`truncate candles, candle_corrections, feed_slots, feed_files, feeds cascade`;
  folder = mkdtempSync(join(tmpdir(), "feed-folder-"));
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

function watch(clock = ""): void {
  const plan = parseMarketFeed(`folder:${folder}${clock}`);
  if ("problem" in plan) throw new Error(plan.problem);
  const abort = new AbortController();
  const config = {
    feeds: plan.feeds,
    oandaToken: () => null,
    oandaApiRoot: "",
    ccxtApiRoot: null,
    feedBackfillCandles: 10,
  };
  const running = runFeeds(workerDb(), abort.signal, { config });
  stop = async () => {
    abort.abort();
    await running;
  };
}

async function until(isTrue: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const endMs = Date.now() + limitMs;
  while (!(await isTrue())) {
    if (Date.now() > endMs)
      throw new Error(JSON.stringify([await sql`select * from feed_files`, await sql`select * from feeds`]));
    await pause(50);
  }
}

/** Writes a file with an old modification time. */
function put(name: string, content: string | Buffer, writtenAt = new Date(Date.now() - 10_000)): void {
  writeFileSync(join(folder, name), content);
  utimesSync(join(folder, name), writtenAt, writtenAt);
}

const files = async () => sql`select file, accepted, duplicates, error from feed_files order by read_at`;
const isRead = (count: number) => async () => (await files()).length >= count;
const rows = async () =>
  sql`select s.symbol, s.timeframe, c.ts, c.close from candles c join slots s on s.id = c.slot_id order by 1, 2, 3`;
const HEADER = "ts,open,high,low,close,volume";
const line = (hour: number, close = 1.15) =>
  `${new Date(Date.UTC(2026, 0, 5, hour)).toISOString()},1.1,1.2,1,${close},7`;

describe("a watched folder", () => {
  it("new files in a watched folder are read once, gzipped or not and across a restart, and other files are ignored", async () => {
    const text = `${HEADER}\n${line(0)}\n${line(1)}\n`;
    put("EURUSD_H1.csv", text);
    watch();
    await until(isRead(1));
    expect(await rows()).toHaveLength(2);
    put("GBPUSD_H1.csv.gz", gzipSync(text));
    put("XAUUSD_H1.csv", `${HEADER}\n${line(3)}\n`);
    put("notes.txt", "no candles");
    put(".EURUSD_H1.csv", text);
    await until(isRead(3));
    await stop();
    watch();
    put(
      "late.ndjson",
      `{"symbol":"EURUSD","timeframe":"H1","ts":"2026-01-05T05:00:00Z","open":1,"high":1,"low":1,"close":1}\n`,
    );
    await until(isRead(4));
    expect((await files()).map(({ accepted, error }) => [accepted, error])).toEqual([
      [2, null],
      [2, null],
      [1, null],
      [1, null],
    ]);
  }, 30_000);

  it("a file in a watched folder is skipped while it is written, and rows appended later are read", async () => {
    watch();
    const path = join(folder, "EURUSD_H1.csv");
    writeFileSync(path, `${HEADER}\n${line(0)}\n2026-01-05T01:00:00Z,1.1,1.2,1,1.1`);
    for (let i = 0; i < 6; i++) {
      await pause(500);
      expect(await rows()).toEqual([]);
    }
    appendFileSync(path, "5,7\n");
    await until(isRead(1));
    expect((await rows()).map(({ close }) => close)).toEqual([1.15, 1.15]);
    appendFileSync(path, `${line(2)}\n`);
    await until(isRead(2));
    expect((await files())[1]).toMatchObject({ accepted: 1, duplicates: 2 });
  }, 30_000);

  it("a watched file's invalid candle is skipped with a reason, and one still open when the file was written without one", async () => {
    const bad = `${line(1)}\n2026-01-05T02:00:00Z,1.1,0.5,1,1.1,7\n${line(3)}\n${line(4)}\n`;
    put("EURUSD_H1.csv", `${HEADER}\n${bad}`, new Date(Date.UTC(2026, 0, 5, 4, 30)));
    watch();
    await until(isRead(1));
    expect((await rows()).map(({ ts }) => ts.getUTCHours())).toEqual([1, 3]);
    expect((await files())[0]).toMatchObject({ accepted: 2, error: "row 2: high is below open or close" });
  });

  it("MetaTrader exports in a watched folder are read on the configured server clock, in summer and winter", async () => {
    const five = [
      "<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>",
      "2026.01.05\t02:00:00\t1.1\t1.2\t1.0\t1.15\t70\t0\t5",
      "2026.07.06\t02:00:00\t1.1\t1.2\t1.0\t1.16\t71\t0\t5",
    ].join("\r\n");
    put("EURUSDm_H1_202601050200_202607060200.csv", `${five}\r\n`);
    put("GBPUSD60.csv", "2026.01.05,02:00,1.1,1.2,1.0,1.17,70\n2026.01.05,03:00,1.1,1.2,1.0,1.18,70\n");
    put(
      "USDJPY_Daily_202601050000_202601060000.csv",
      Buffer.from(
        `\uFEFF<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\r\n2026.01.05\t1\t1\t1\t1\t9\r\n`,
        "utf16le",
      ),
    );
    await sql`insert into symbols (symbol, calendar, digits) values ('EURUSD', 'fx', 5), ('GBPUSD', 'fx', 5) on conflict do nothing`;
    watch(" clock=new_york");
    await until(isRead(3));
    expect(await rows()).toEqual([
      { symbol: "EURUSD", timeframe: "H1", ts: new Date("2026-01-05T00:00:00Z"), close: 1.15 },
      { symbol: "EURUSD", timeframe: "H1", ts: new Date("2026-07-05T23:00:00Z"), close: 1.16 },
      { symbol: "GBPUSD", timeframe: "H1", ts: new Date("2026-01-05T00:00:00Z"), close: 1.17 },
      { symbol: "GBPUSD", timeframe: "H1", ts: new Date("2026-01-05T01:00:00Z"), close: 1.18 },
    ]);
    // A day starting at 22:00 UTC is not the day from midnight to midnight.
    const daily = (await files()).find(({ file }) => file.startsWith("USDJPY"));
    expect(daily).toMatchObject({
      accepted: 0,
      error: expect.stringContaining("does not open where a candle of D1 opens"),
    });
  });

  it("a MetaTrader export without a configured clock is reported", async () => {
    put("GBPUSD60.csv", "2026.01.05,02:00,1.1,1.2,1.0,1.17,70\n");
    watch();
    await until(isRead(1));
    expect((await files())[0]).toMatchObject({
      accepted: 0,
      error: expect.stringContaining("name that clock"),
    });
  });

  it("the feed of a watched folder is refused when the folder is missing", async () => {
    rmSync(folder, { recursive: true });
    watch();
    await until(async () => (await sql`select state from feeds`)[0]?.state === "refused");
  });
});
