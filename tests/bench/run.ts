/**
 * `npm run bench -- NAME [NAME ...]`: measures against a floor of the same run and machine; the figures come last.
 * Absolute figures belong to the machine; the ratios are what to compare.
 */
import { benches } from "./index";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in benches));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(benches).join(" | ")}\n`);
  process.exit(2);
}
const figures: string[] = [];
for (const name of names) figures.push(`== ${name}`, ...((await benches[name]?.()) ?? []));
process.stdout.write(`\n${figures.join("\n")}\n`);
process.exit(0);
