/**
 * `npm run bench -- NAME [NAME ...]`: measures against a floor of the same run and machine; the figures come last.
 * Absolute figures depend on the machine; compare the ratios.
 */
import { runNamed } from "@/tests/support/run-named";
import { benches } from "./";

await runNamed("bench", benches);
