/**
 * Runs the suites that the command line names, one after the other, prints their figures last and ends the process.
 * Without a name, or with an unknown one, it prints the usage and ends with code 2.
 */
export async function runNamed(
  command: string,
  suites: Readonly<Record<string, () => Promise<string[]>>>,
): Promise<never> {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in suites));
  if (names.length === 0 || unknown.length > 0) {
    process.stderr.write(`usage: npm run ${command} -- ${Object.keys(suites).join(" | ")}\n`);
    process.exit(2);
  }
  const figures: string[] = [];
  for (const name of names) figures.push(`== ${name}`, ...((await suites[name]?.()) ?? []));
  process.stdout.write(`\n${figures.join("\n")}\n`);
  process.exit(0);
}
