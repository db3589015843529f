/** `npm run fuzz -- NAME [NAME ...]`: random input in numbers too large for `npm test`. Ends at the first difference. */
import { fuzzes } from "./index";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in fuzzes));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(`usage: npm run fuzz -- ${Object.keys(fuzzes).join(" | ")}\n`);
  process.exit(2);
}
const figures: string[] = [];
for (const name of names) figures.push(`== ${name}`, ...((await fuzzes[name]?.()) ?? []));
process.stdout.write(`\n${figures.join("\n")}\n`);
process.exit(0);
