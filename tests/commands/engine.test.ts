import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Progress } from "@/lib/commands/engine/progress";
import { randomWalk } from "@/tests/lib/engine/synthetic";

const root = fileURLToPath(new URL("../..", import.meta.url));
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "signal-engine-"));
  const walk = randomWalk({ n: 4600, seed: 5 });
  const lines = Array.from(walk.ts, (ts, i) =>
    [new Date(ts).toISOString(), walk.open[i], walk.high[i], walk.low[i], walk.close[i], walk.volume[i]].join(
      ",",
    ),
  );
  writeFileSync(join(directory, "WALK_H1.csv"), ["ts,open,high,low,close,volume", ...lines].join("\n"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function engine(...args: string[]) {
  return spawnSync(process.execPath, ["--import", "tsx", "lib/commands/engine.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "test" },
  });
}

describe("npm run engine", () => {
  it("backtest evaluates the slots of a folder and reports the slot with too few candles", () => {
    const { status, stdout, stderr } = engine("backtest", "--data", directory);
    expect(status).toBe(0);
    // Without a terminal a line appears every ten seconds, so a fast machine prints none.
    expect(stderr).toMatch(/^(WALK\/H1: \d+ of 20, about \d+ s left\n)*$/);
    expect(stdout).toMatch(
      /^WALK\/H1 {2}(champion \w+|baseline kept) \(figures: \w+, n \d+, out of sample\)$/m,
    );
    expect(stdout).toContain("WALK/H4  left out: 1150 candles, 4000 are needed");
    // This symbol has no known cost.
    expect(stdout).not.toContain("after costs");
    expect(stdout).toMatch(
      /hour-and-regime table, which a model replaces: Brier 0\.\d{4}, .*skill -?\d+\.\d\d %/,
    );
    expect(stdout).not.toMatch(/NaN|undefined|Infinity/);
  }, 60_000);

  it("shows progress at each step on a terminal, and as a line about every ten seconds elsewhere", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const lines: string[] = [];
    const written: string[] = [];
    const quiet = new Progress(40, { write: (text) => lines.push(text) });
    const shown = new Progress(40, { isTTY: true, write: (text) => written.push(text) });
    for (let i = 0; i < 8; i++) {
      vi.advanceTimersByTime(3_000);
      quiet.step("EURUSD/H1");
      shown.step("EURUSD/H1");
    }
    vi.useRealTimers();
    expect(lines).toEqual([
      "EURUSD/H1: 4 of 40, about 108 s left\n",
      "EURUSD/H1: 8 of 40, about 96 s left\n",
    ]);
    expect(written).toHaveLength(8);
  });

  it("exits with code 2 and its usage for invalid arguments", () => {
    for (const args of [[], ["report"], ["backtest", "EURUSD_H1.csv"]]) {
      const { status, stderr } = engine(...args);
      expect({ args, status }).toEqual({ args, status: 2 });
      expect(stderr).toContain("usage: npm run engine");
    }
  });

  it("exits with code 1 and one sentence when there is nothing to train on", () => {
    const { status, stderr } = engine("backtest", "--data", directory, "--slot", "EURUSD/H1");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "no slot EURUSD/H1 with 4000 candles for training\n",
    });
    expect(engine("backtest", "--data", join(directory, "nowhere")).status).toBe(1);
  });
});
