import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const run = promisify(execFile);
const HERE = "tests/ea-kit";
const KIT = "public/ea-kit";

/** Whether this machine has a C++ compiler with a 64-bit `long`, like MQL5. */
export const hasCppCompiler =
  process.platform === "linux" &&
  ["x64", "arm64"].includes(process.arch) &&
  (await run("g++", ["--version"]).then(
    () => true,
    () => false,
  ));

/** Compiles the sample EA with its include into the simulated terminal; returns the program. */
export async function compileFollower(version: 4 | 5): Promise<string> {
  const directory = temporaryDirectory("ea-kit-");
  for (const file of ["terminal.h", "terminal.cpp"]) copyFileSync(join(HERE, file), join(directory, file));
  const include = readFileSync(join(KIT, "SignalDelivery.mqh"), "utf8");
  const sample = readFileSync(join(KIT, `SignalFollower.mq${version}`), "utf8");
  writeFileSync(join(directory, "kit.cpp"), asCpp(sample, include));
  const program = join(directory, "terminal");
  const macros = version === 4 ? ["-D__MQL4__"] : [];
  await run("g++", ["-std=c++20", ...macros, "-o", program, join(directory, "terminal.cpp")]);
  return program;
}

/** Compiles SignalTrader with its includes into the simulated terminal; returns the program. */
export async function compileTrader(version: 4 | 5): Promise<string> {
  const directory = temporaryDirectory("signal-trader-");
  for (const file of ["terminal.h", "terminal.cpp"]) copyFileSync(join(HERE, file), join(directory, file));
  const read = (name: string) => asReferences(asCpp(readFileSync(join(KIT, name), "utf8"), ""));
  const source = readFileSync(join(KIT, "SignalTrader.mqh"), "utf8");
  // Omits the functions for the other terminal version. Declarations come after the types that they use.
  const [own, other] = [source.lastIndexOf("#ifdef __MQL4__"), source.lastIndexOf("#else")];
  const visible = version === 4 ? source.slice(0, other) : source.slice(0, own) + source.slice(other);
  const heads = [...visible.matchAll(HEAD)].map(([head]) => `${asReferences(head)};`);
  const functions = source.indexOf("//+--", source.indexOf("CSignalDelivery Service"));
  const declared = `${source.slice(0, functions)}${heads.join("\n")}\n${source.slice(functions)}`;
  const whole = asReferences(asCpp(declared.replace(/^#include "(\w+\.mqh)"$/gm, "// $1"), "")).replace(
    /^\/\/ (\w+\.mqh)$/gm,
    (_, name: string) => read(name),
  );
  writeFileSync(join(directory, "kit.cpp"), whole);
  const program = join(directory, "trader");
  const macros = ["-DTRADER", ...(version === 4 ? ["-D__MQL4__"] : [])];
  await run("g++", ["-std=c++20", ...macros, "-o", program, join(directory, "terminal.cpp")]);
  return program;
}

/** Compiles CandlePusher into its own simulated terminal; returns the program. */
export async function compilePusher(): Promise<string> {
  const directory = temporaryDirectory("candle-pusher-");
  for (const file of ["terminal.h", "pusher.cpp"]) copyFileSync(join(HERE, file), join(directory, file));
  const source = readFileSync(join(KIT, "CandlePusher.mqh"), "utf8");
  const heads = [...source.matchAll(HEAD)].map(([head]) => `${asReferences(head)};`);
  const slots = source.indexOf("//+--", source.indexOf("SlotState Slots"));
  writeFileSync(
    join(directory, "kit.cpp"),
    asReferences(asCpp(`${source.slice(0, slots)}${heads.join("\n")}\n${source.slice(slots)}`, "")),
  );
  const program = join(directory, "pusher");
  await run("g++", ["-std=c++20", "-o", program, join(directory, "pusher.cpp")]);
  return program;
}

const HEAD = /^\w+ \w+\([^;{]*\)(?=\n {2}\{)/gm;

/** Replaces MQL's array parameters, `T &name[]`, by references to Dynamic<T>. */
const asReferences = (text: string) =>
  text.replace(
    /(const )?(\w+) &(\w+)\[\]/g,
    (_, fixed = "", type, name) => `${fixed}Dynamic<${type}> &${name}`,
  );

/**
 * Turns MQL source into C++: removes properties and the keyword `input`, replaces arrays without a size, and declares
 * functions before their use.
 */
function asCpp(sample: string, include: string): string {
  const heads = [...sample.matchAll(HEAD)].map(([head]) => `${head};`);
  return sample
    .replace(/^#include <Trade.*$/m, "")
    .replace('#include "SignalDelivery.mqh"', () => [include, ...heads].join("\n"))
    .replace(/^#property.*$/gm, "")
    .replace(/^input group.*$/gm, "")
    .replace(/^input /gm, "")
    .replace(/^( +)(\w+)( +)((?:\w+\[\],?)+);$/gm, (_, indent, type, space, names) =>
      [indent, `Dynamic<${type}>`, space, names.replaceAll("[]", ""), ";"].join(""),
    );
}
