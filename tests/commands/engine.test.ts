import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  it("report judges every slot of a folder, says which are too short, and writes a page that needs nothing else", () => {
    const out = join(directory, "pages");
    const { status, stdout, stderr } = engine("report", "--data", directory, "--out", out);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      /^WALK\/H1 {2}(champion \w+|baseline kept) \(figures: \w+, n \d+, out of sample\)$/m,
    );
    expect(stdout).toContain("WALK/H4  left out: 1150 candles, 4000 are needed");
    expect(existsSync(join(out, "WALK_H4.html"))).toBe(false);
    const page = readFileSync(join(out, "WALK_H1.html"), "utf8");
    const said = /^ {2}(.*)$/m.exec(stdout)![1]!;
    expect(page).toContain(`<p class="verdict">${said}</p>`);
    expect(page).not.toMatch(/NaN|undefined|Infinity|<script|https?:|src=/);
    for (const heading of ["Scores", "Are the probabilities true?", "Does it last?", "The challengers"])
      expect(page).toContain(`<h2>${heading}</h2>`);
  }, 60_000);

  it("ends with code 2 and its usage for anything it would not understand", () => {
    for (const args of [[], ["reports"], ["report", "EURUSD_H1.csv"]]) {
      const { status, stderr } = engine(...args);
      expect({ args, status }).toEqual({ args, status: 2 });
      expect(stderr).toContain("usage: npm run engine");
    }
  });

  it("ends with code 1 and one sentence when there is nothing to learn from", () => {
    const { status, stderr } = engine("backtest", "--data", directory, "--slot", "EURUSD/H1");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "no slot EURUSD/H1 with 4000 candles to learn from\n",
    });
    expect(engine("backtest", "--data", join(directory, "nowhere")).status).toBe(1);
  });
});
