import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commandArguments as program, sourceCommandArguments } from "@/tests/support/command";
import { createDatabase, testEnvironment } from "@/tests/support/database";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HOUR_MS = 3_600_000;

let directory: string;
let database: { url: string; drop: () => Promise<void> };
let sql: postgres.Sql;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "signal-files-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 1 });
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

/** Runs a command as a separate process. */
function command(name: string, ...args: string[]) {
  return spawnSync(process.execPath, [...program(name), ...args], {
    cwd: root,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH ?? "",
      ...testEnvironment(database.url),
      NODE_ENV: "test",
      LOG_LEVEL: "warn",
    },
  });
}

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** Hourly candles from Monday, 5 January 2026, as CSV lines. */
const csv = (hours: number, close = 1.15) =>
  Array.from(
    { length: hours },
    (_, n) => `${new Date(Date.UTC(2026, 0, 5) + n * HOUR_MS).toISOString()},1.1,1.2,1,${close},${n}`,
  ).join("\n");
const HEADER = "ts,open,high,low,close,volume";

/** Runs a command without the service's environment variables, in a folder whose .env names the database. */
function commandByEnvFile(name: string, ...args: string[]) {
  const folder = mkdtempSync(join(directory, "place-"));
  const variables = Object.entries({ ...testEnvironment(database.url), NODE_ENV: "test" });
  writeFileSync(join(folder, ".env"), variables.map(([key, value]) => `${key}='${value}'\n`).join(""));
  return spawnSync(process.execPath, [...sourceCommandArguments(name), ...args], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH ?? "",
      TSX_TSCONFIG_PATH: join(root, "tsconfig.json"),
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
}

describe("npm run ingest", () => {
  it("reads CSV, gzipped CSV and NDJSON, takes the slot from the file name, builds longer candles and counts duplicates", async () => {
    const candle = {
      symbol: "BTCUSD",
      tf_code: "H1",
      ts: "2026-01-05T00:00:00Z",
      open: 1,
      high: 2,
      low: 1,
      close: 1.5,
    };
    const files = [
      file("EURUSD_H1.csv", `\uFEFF${HEADER}\r\n${csv(48)}\r\n\r\n`),
      file("GBPUSD_H1.csv.gz", gzipSync(`${HEADER}\n${csv(24)}\n`)),
      file(
        "mixed.ndjson",
        `${JSON.stringify(candle)}\n\n${JSON.stringify({ ...candle, symbol: "XAUUSD" })}\n`,
      ),
    ];
    const first = command("ingest", "candles", "--also", "H4", ...files);
    expect(first.status, first.stderr).toBe(0);
    expect(first.stdout).toContain("EURUSD_H1.csv: 48 accepted, 0 duplicates");
    const rows =
      await sql`select s.symbol, s.timeframe, count(*)::int as n from candles c join slots s on s.id = c.slot_id group by 1, 2 order by 1, 2`;
    expect(rows).toContainEqual({ symbol: "EURUSD", timeframe: "H1", n: 48 });
    expect(rows).toContainEqual({ symbol: "EURUSD", timeframe: "H4", n: 12 });
    expect(rows).toContainEqual({ symbol: "GBPUSD", timeframe: "H1", n: 24 });
    expect(rows).toContainEqual({ symbol: "XAUUSD", timeframe: "H1", n: 1 });

    expect(
      await sql`select actor, action, target, details from admin_audit order by id limit 1`,
    ).toMatchObject([
      {
        actor: "command",
        action: "ingest.candles",
        target: "EURUSD_H1.csv",
        details: { accepted: 48, duplicates: 0 },
      },
    ]);

    const again = command("ingest", "candles", ...files);
    expect(again.stdout).toContain("EURUSD_H1.csv: 0 accepted, 48 duplicates");
    file("EURUSD_H1.csv", `${HEADER}\n${csv(49, 1.16)}`);
    expect(command("ingest", "candles", files[0]!).stdout).toContain("49 accepted, 0 duplicates");
  });

  it("reads a MetaTrader export when given its server's clock, and asks for the clock otherwise", async () => {
    const path = file(
      "EURUSD60.csv",
      "2026.01.05,02:00,1.1,1.2,1.0,1.15,70\n2026.07.06,02:00,1.1,1.2,1.0,1.15,70\n",
    );
    expect(command("ingest", "candles", path).stderr).toContain("name that clock");
    expect(command("ingest", "candles", "--clock", "moscow", path).status).toBe(2);
    expect(command("ingest", "candles", "--clock", "new_york", path).stdout).toContain("2 accepted");
    const rows =
      await sql`select c.ts, s.timeframe from candles c join slots s on s.id = c.slot_id order by 1`;
    expect(rows.map(({ ts, timeframe }) => [ts.toISOString(), timeframe])).toEqual([
      ["2026-01-05T00:00:00.000Z", "H1"],
      ["2026-07-05T23:00:00.000Z", "H1"],
    ]);
  });

  it("exits with code 1 naming row and field of a bad file, and with code 2 and the usage for wrong arguments", async () => {
    const bad = file("USDJPY_H1.csv", `${HEADER}\n${csv(3)}\n2026-01-05T03:00:00Z,1.1,0.5,1,1.1,0\n`);
    const run = command("ingest", "candles", bad);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("items.3.high: is below open or close");
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(await sql`select 1 from candles`).toHaveLength(0);
    const broken = file("broken.csv.gz", gzipSync(`${HEADER}\n${csv(9)}`).subarray(0, 60));
    for (const path of [join(directory, "not-there.csv"), join(directory, "not-there.ndjson.gz"), broken]) {
      expect(command("ingest", "candles", path).status).toBe(1);
    }
    for (const wrong of [
      ["nonsense", bad],
      ["candles", "--unknown", bad],
    ]) {
      const usage = command("ingest", ...wrong);
      expect(usage).toMatchObject({ status: 2, stderr: expect.stringMatching(/^usage:.*\n$/) });
    }
  });

  it("numbers the row of an error from the start of a file with 5,002 rows", () => {
    const long = file("GBPUSD_H1.csv", `${HEADER}\n${csv(5001)}\n2026-09-01T03:00:00Z,1.1,0.5,1,1.1,0\n`);
    expect(command("ingest", "candles", long).stderr).toContain("items.5001.high: is below open or close");
  });

  it.each([
    [
      ["dukascopy", "--from", "2025-01-01", "EURUSD=eurusd:H5"],
      /timeframe 1 is not a timeframe of MetaTrader/,
    ],
    [["dukascopy", "EURUSD=eurusd:H1"], /^usage: .*--from 2015-01-01/ms],
  ])("exits with code 2 and explains why a history cannot be requested: %j", (words, said) => {
    const refused = command("ingest", ...words);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(said);
  });

  it("reads features from further CSV columns and from NDJSON values", async () => {
    const head = "ts,model_v,rsi14,atr_pct";
    const table = file(
      "XAUUSD_H1.csv",
      `${head}\n2026-01-05T00:00:00Z,m1,41.5,\n2026-01-05T01:00:00Z,m1,43,0.2\n`,
    );
    const item = { symbol: "XAUUSD", tf_code: "H1", ts: "2026-01-05T01:00:00Z", model_v: "m1" };
    const lines = file("f.ndjson", `${JSON.stringify({ ...item, values: { rsi14: 43, atr_pct: 0.2 } })}\n`);
    const run = command("ingest", "features", table, lines);
    expect(run.stderr).toBe("");
    expect(run.stdout).toContain("XAUUSD_H1.csv: 2 accepted, 0 duplicates");
    expect(run.stdout).toContain("f.ndjson: 0 accepted, 1 duplicates");
    const rows = await sql`select values from feature_values order by ts`;
    expect(rows.map((row) => row.values)).toEqual([
      { rsi14: 41.5, atr_pct: null },
      { rsi14: 43, atr_pct: 0.2 },
    ]);
  });
});

describe("npm run produce", () => {
  it("npm run produce runs the baseline for a slot with candles, and a second run adds nothing", async () => {
    command("ingest", "candles", file("EURUSD_H1.csv", `${HEADER}\n${csv(200)}`));
    const first = command("produce");
    expect(first.status, first.stderr).toBe(0);
    const counted = async () => (await sql`select count(*)::int as n from signals`)[0]?.n;
    const n = await counted();
    expect(n).toBeGreaterThan(0);
    expect(first.stdout).toContain(`EURUSD/H1: ${n} recorded`);
    expect(command("produce").stdout).toContain("EURUSD/H1: 0 recorded");
    expect(await counted()).toBe(n);
    expect(command("produce", "--since", "someday").status).toBe(2);
  });
});

const candlesDir = process.env.CANDLES_DIR;
const realFiles =
  candlesDir && existsSync(candlesDir)
    ? readdirSync(candlesDir)
        .filter((name) => /_H1\.csv(\.gz)?$/.test(name))
        .map((name) => join(candlesDir, name))
    : [];
if (realFiles.length === 0)
  console.log("skipped: real candles, because CANDLES_DIR names no folder with *_H1.csv.gz");

describe("real candles", () => {
  it.skipIf(realFiles.length === 0)(
    "real candles are ingested within 60 seconds",
    { timeout: 120_000 },
    async () => {
      const startedAt = performance.now();
      const run = command("ingest", "candles", ...realFiles);
      const seconds = (performance.now() - startedAt) / 1000;
      expect(run.status, run.stderr).toBe(0);
      const [row] = await sql`select count(*)::int as n from candles`;
      console.log(`${row?.n} real candles in ${seconds.toFixed(1)} s`);
      expect(row?.n).toBeGreaterThan(1_000);
      expect(seconds).toBeLessThan(60);
    },
  );
});

describe("npm run ingest and npm run produce", () => {
  it("npm run ingest and npm run produce read .env", async () => {
    const candles = file("EURUSD_H1.csv", `${HEADER}\n${csv(30)}\n`);
    const ingested = commandByEnvFile("ingest", "candles", candles);
    expect(ingested.stderr).toBe("");
    expect(ingested.stdout).toContain("30 accepted");
    expect((await sql`select count(*)::int as n from candles`)[0]?.n).toBe(30);
    const produced = commandByEnvFile("produce");
    expect(produced.stderr).toBe("");
    expect(produced.stdout).toContain("EURUSD/H1: ");
  });
});
