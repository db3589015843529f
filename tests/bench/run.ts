/**
 * `npm run bench -- NAME [NAME ...]`: measures against a floor of the same run and machine; the figures come last.
 * Absolute figures belong to the machine; the ratios are what to compare.
 */
import { runNamed } from "@/tests/support/run-named";
import { benches } from "./";

await runNamed("bench", benches);
