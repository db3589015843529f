import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readDate } from "@/lib/commands/command-line";
import { commandArguments } from "@/tests/support/command";

const root = fileURLToPath(new URL("../..", import.meta.url));

it.each([
  ["ea", "--kye", "x"],
  ["ea", "--key", "x", "--every", "soon"],
  ["engine", "backtest", "--slots", "EURUSD/H1"],
  ["ingest", "candles", "--as", "H4", "a.csv"],
  ["ledger", "hand-over", "--now"],
  ["produce", "--from", "2026-01-01T00:00:00Z"],
  ["webhook", "paid", "--mail", "ada@example.test"],
])("%s %s %s prints only the usage of the command", (name, ...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...commandArguments(name), ...args], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "test", MARKET_FEED: "off" },
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^usage: npm run ${name} -- .*\n$`));
});

it("a date means midnight UTC, an instant is taken as written, anything else is refused", () => {
  expect(readDate("2026-03-25")?.toISOString()).toBe("2026-03-25T00:00:00.000Z");
  expect(readDate("2026-03-25T10:00:00+02:00")?.toISOString()).toBe("2026-03-25T08:00:00.000Z");
  for (const text of ["2026-02-30", "25.03.2026", "yesterday", ""]) expect(readDate(text)).toBeNull();
});
