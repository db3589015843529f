/**
 * `npm run bench -- NAME [NAME ...]`: runs the named benches and prints their figures at the end. Absolute figures depend
 * on the machine; compare the ratios to the reference servers that some benches measure in the same run.
 */
import { runNamedSuites } from "@/tests/support/run-named";
import { benches } from "./";

await runNamedSuites("bench", benches);
