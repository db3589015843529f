import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readExecutionReport } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";

const FILES = [
  "SignalDelivery.mqh",
  "SignalFollower.mq5",
  "SignalFollower.mq4",
  "SignalTrader.mqh",
  "SignalTester.mqh",
] as const;
const read = (name: string) => readFileSync(`public/ea-kit/${name}`, "utf8");
const include = read("SignalDelivery.mqh");
const follower = read("SignalFollower.mq5");

/** The source without comments, with every string and character literal emptied. */
function bare(source: string): string {
  return source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, (found) =>
    found.startsWith("/") ? "" : found.startsWith('"') ? '""' : "''",
  );
}

/** The body of a function, by its opening line. */
function functionBody(source: string, heading: string): string {
  const start = source.indexOf(heading);
  if (start < 0) throw new Error(`no function ${heading}`);
  return source.slice(start, source.indexOf("\n  }\n", start));
}

/** The format strings passed to StringFormat, with escapes resolved. */
function formatsIn(source: string): string[] {
  return [...source.matchAll(/StringFormat\("((?:\\.|[^"\\])*)"/g)].map((match) =>
    match[1]!.replace(/\\(.)/g, "$1"),
  );
}

/** Fills an MQL5 format like the terminal, for the conversions used by the kit. */
function fill(format: string, values: (string | number)[]): string {
  const rest = [...values];
  const text = format.replace(/%(0?)(\d*)(?:\.(\d+))?(I64u|I64d|[sdf])/g, (_, zero, width, digits, kind) => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`too few values for ${format}`);
    const written = kind === "f" ? Number(value).toFixed(digits ? Number(digits) : 6) : String(value);
    return zero ? written.padStart(Number(width), "0") : written;
  });
  if (rest.length > 0) throw new Error(`too many values for ${format}`);
  return text;
}

describe.each(FILES)("%s", (name) => {
  it("a file of the EA kit has balanced braces, brackets and strings", () => {
    const open: string[] = [];
    const pairs: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
    const source = bare(read(name));
    expect(source.replaceAll('""', "").includes('"')).toBe(false);
    for (const letter of source) {
      if ("([{".includes(letter)) open.push(letter);
      if (letter in pairs) expect(open.pop()).toBe(pairs[letter]);
    }
    expect(open).toEqual([]);
  });

  it("a file of the EA kit is plain ASCII, so that MetaEditor reads it in any code page", () => {
    expect(read(name)).toMatch(/^[\t\n\x20-\x7e]*$/);
  });

  it("a file of the EA kit passes StringFormat as many values as its format needs", () => {
    const calls = [...read(name).matchAll(/StringFormat\("((?:\\.|[^"\\])*)",([\s\S]*?)\)(?:;|\))/g)];
    for (const call of calls) {
      const asked = call[1]!.replaceAll("%%", "").match(/%/g)?.length ?? 0;
      let depth = 0;
      const given = [...call[2]!].reduce((count, letter) => {
        if (letter === "(") depth += 1;
        if (letter === ")") depth -= 1;
        return letter === "," && depth === 0 ? count + 1 : count;
      }, 1);
      expect(given, call[0]).toBe(asked);
    }
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe("the report built by the include", () => {
  const [openFormat, followedFormat, closeFormat] = formatsIn(
    functionBody(include, "string CSignalDelivery::Body("),
  );
  const [isoFormat] = formatsIn(functionBody(include, "string CSignalDelivery::Iso("));
  const opened = fill(isoFormat!, [2026, 11, 20, 5, 7, 0]);
  const closed = fill(isoFormat!, [2026, 11, 20, 9, 30, 5]);
  const open = fill(openFormat!, ["9007199254740993", "EURUSD", "H1", "BUY", opened, 1.08421]);
  const followed = fill(followedFormat!, ["4711", 0.5812]);
  const now = new Date("2026-11-21T00:00:00Z");
  const accept = (body: string) => readExecutionReport(readJson(body), now);

  it("the report of an opening is accepted by the service, with an exact ticket beyond 2^53", () => {
    const report = accept(`${open}${followed}}`);
    expect(report.ticket).toBe(9_007_199_254_740_993n);
    expect(report).toMatchObject({ symbol: "EURUSD", timeframe: "H1", signal: "BUY" });
    expect(report).toMatchObject({ predId: 4711, confidence: 0.5812 });
    expect(report.openedAt).toEqual(new Date("2026-11-20T05:07:00Z"));
    expect(Number(report.entryPrice)).toBe(1.08421);
  });

  it("the report of an opening has no pred_id and no confidence when the followed signal is unknown", () => {
    const report = accept(`${open}}`);
    expect(report).toMatchObject({ predId: null, confidence: null });
  });

  it("the report of a close is accepted by the service", () => {
    const report = accept(`${open}${followed}${fill(closeFormat!, [closed, 1.08655, -23.4, "SL"])}}`);
    expect(report.closedAt).toEqual(new Date("2026-11-20T09:30:05Z"));
    expect(Number(report.exitPrice)).toBe(1.08655);
    expect(Number(report.pnl)).toBe(-23.4);
    expect(report.result).toBe("SL");
  });
});

it("the setup page and docs/site/ea-kit.md put the include and the sample EA in one folder", () => {
  expect(follower).toContain('#include "SignalDelivery.mqh"');
  for (const page of ["app/portal/setup/page.tsx", "docs/site/ea-kit.md"]) {
    const words = readFileSync(page, "utf8")
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ");
    expect(words, page).not.toContain("MQL5/Include");
    expect(words, page).toMatch(/MQL5\/Experts/);
    expect(words, page).toMatch(/one folder/);
  }
});

it("the comment of each EA input begins with the input's name, because the dialog shows the comment", () => {
  const inputs = [...follower.matchAll(/^input (?!group)\w+ +(\w+) *=.*\/\/ (\w+): /gm)];
  expect(inputs.map(([, name]) => name)).toEqual(inputs.map(([, , shown]) => shown));
  expect(inputs.length).toBe(follower.match(/^input (?!group)/gm)?.length);
});

describe("the HTTP code of the EA kit", () => {
  it("the EA kit sends a body with an explicit length, so that it has no terminating zero", () => {
    expect(include).toMatch(/StringToCharArray\(body,sent,0,StringLen\(body\),CP_UTF8\)/);
    expect(include.match(/StringToCharArray\(body/g)).toHaveLength(1);
  });

  it("the EA kit explains the network codes 4014 and 5200 to 5203", () => {
    for (const code of [4014, 5200, 5201, 5202, 5203]) expect(include).toContain(`case ${code}:`);
  });

  it("the EA kit never prints or shows the key", () => {
    const uses = include.split("\n").filter((line) => /\bm_key\b/.test(line));
    expect(uses.every((line) => !/Print|Comment|Alert/.test(line))).toBe(true);
    expect(bare(follower)).not.toMatch(/(Print|Comment|Alert)\([^)]*InpApiKey/);
  });
});
