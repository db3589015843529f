/**
 * `npm run fuzz -- NAME [NAME ...]`, or all: random input in quantities too large for `npm test`. Each run ends at
 * its first difference; `--seed` repeats a run, `--minutes` and `--requests` limit it.
 */
import { runNamedSuites } from "@/tests/support/run-named";
import { fuzzes } from "./";

await runNamedSuites("fuzz", fuzzes, Object.keys(fuzzes));
