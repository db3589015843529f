import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const MODULE = fileURLToPath(new URL("../../../lib/server/compile-less.ts", import.meta.url));

/** Prints how often a function runs until V8 has compiled it for speed, before and after. */
const SCRIPT = `
  import { setFlagsFromString } from "node:v8";
  import { setTimeout as pause } from "node:timers/promises";
  import { compileLessWhenSettled } from ${JSON.stringify(MODULE)};
  setFlagsFromString("--allow-natives-syntax");
  setFlagsFromString("--no-concurrent-recompilation");
  const COMPILED_FOR_SPEED = 64;
  const statusOf = new Function("f", "return %GetOptimizationStatus(f)");
  const runsOf = () => {
    const f = new Function("a", "let s = a;" + "s = (s * 31 + 7) % 1000;".repeat(20) + "return s;");
    for (let n = 1; n < 1e7; n++) {
      f(n);
      if ((statusOf(f) & COMPILED_FOR_SPEED) !== 0) return n;
    }
    return Infinity;
  };
  const before = runsOf();
  compileLessWhenSettled(0);
  await pause(50);
  console.log(JSON.stringify([before, runsOf()]));
`;

it.skipIf(!process.versions.v8.startsWith("11."))(
  "what runs now and then is compiled for speed much later once the process is settled",
  () => {
    const printed = execFileSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", SCRIPT],
      { encoding: "utf8" },
    );
    const [before = 0, after = 0]: number[] = JSON.parse(printed);
    expect(before).toBeGreaterThan(100);
    expect(after).toBeGreaterThan(4 * before);
  },
);
