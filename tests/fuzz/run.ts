/**
 * `npm run fuzz -- NAME [NAME ...]`, or all: random input in numbers too large for `npm test`. Each ends at its first
 * difference; `--seed` repeats a run, `--minutes` and `--requests` bound it.
 */
import { runNamed } from "@/tests/support/run-named";
import { fuzzes } from "./";

await runNamed("fuzz", fuzzes, Object.keys(fuzzes));
