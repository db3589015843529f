/**
 * `npm run faults -- NAME [NAME ...]`: the product under violence, with a client's own journal as the judge. Nothing
 * that was acknowledged may be lost and nothing may happen twice. The figures come last.
 */
import { faults } from "./index";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in faults));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(`usage: npm run faults -- ${Object.keys(faults).join(" | ")}\n`);
  process.exit(2);
}
const figures: string[] = [];
for (const name of names) figures.push(`== ${name}`, ...((await faults[name]?.()) ?? []));
process.stdout.write(`\n${figures.join("\n")}\n`);
process.exit(0);
