import { parseArgs } from "node:util";

/** Command-line options of a suite. */
export interface RunOptions {
  /** Seed of every random choice; printed so that a run can be repeated. */
  seed: number;
  /** Maximum duration of one suite; null: its default. */
  minutes: number | null;
  /** Repetitions of a fault; null: the suite's default. */
  rounds: number | null;
  requests: number | null;
  samples: number | null;
}

export type Suite = (options: RunOptions) => Promise<string[]>;

/**
 * Runs the suites that the command line names, or `whenNoneIsNamed`, one after the other. Prints their figures at the
 * end and exits with 0, or with 1 if a suite failed. An invalid command line exits with 2 after the usage.
 */
export async function runNamedSuites(
  command: string,
  suites: Readonly<Record<string, Suite>>,
  whenNoneIsNamed: readonly string[] = [],
): Promise<never> {
  const wanted = readCommandLine(suites);
  if (wanted === null || (wanted.names.length === 0 && whenNoneIsNamed.length === 0)) {
    const flags = Object.keys(FLAGS).map((name) => `[--${name} N]`);
    process.stderr.write(
      `usage: npm run ${command} -- ${Object.keys(suites).join(" | ")} ${flags.join(" ")}\n`,
    );
    process.exit(2);
  }
  const names = wanted.names.length > 0 ? wanted.names : whenNoneIsNamed;
  const figures: string[] = [];
  let failed = 0;
  for (const name of names) {
    const startedAt = performance.now();
    process.stdout.write(`${name}, seed ${wanted.options.seed}\n`);
    try {
      figures.push(`== ${name}`, ...((await suites[name]?.(wanted.options)) ?? []));
    } catch (error) {
      failed++;
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      if (error instanceof Error && error.cause) process.stderr.write(`because of ${String(error.cause)}\n`);
      figures.push(`== ${name}`, `FAILED: ${error instanceof Error ? error.message : String(error)}`);
    }
    figures.push(`seed ${wanted.options.seed}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  process.stdout.write(`\n${figures.join("\n")}\n`);
  process.exit(failed > 0 ? 1 : 0);
}

const FLAGS = {
  seed: { type: "string" },
  minutes: { type: "string" },
  rounds: { type: "string" },
  requests: { type: "string" },
  samples: { type: "string" },
} as const;

/** null for an unknown suite or option, or a value that is not a number of at least 0. */
function readCommandLine(
  suites: Readonly<Record<string, Suite>>,
): { names: string[]; options: RunOptions } | null {
  try {
    const { values, positionals } = parseArgs({ options: FLAGS, allowPositionals: true });
    const numbers = Object.values(values).map(Number);
    if (positionals.some((name) => !(name in suites)) || numbers.some((n) => !(n >= 0))) return null;
    const number = (text: string | undefined) => (text === undefined ? null : Number(text));
    return {
      names: positionals,
      options: {
        seed: number(values.seed) ?? Math.floor(Math.random() * 2 ** 31),
        minutes: number(values.minutes),
        rounds: number(values.rounds),
        requests: number(values.requests),
        samples: number(values.samples),
      },
    };
  } catch {
    return null;
  }
}

/** The seed with which tests draw the same random cases in every run. Commands draw their seed unless `--seed` is given. */
export const TEST_SEED = 271_828;
