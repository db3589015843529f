/**
 * `npm run faults -- NAME [NAME ...]`, or all: the product under violence, with clients' own journals as the judge.
 * Nothing that was acknowledged may be lost, nothing may happen twice, no answer may take over three seconds, and five
 * seconds after a fault the service is ready again. The figures come last. `--seed`, `--rounds` and `--minutes` say what
 * is drawn and how long.
 */
import { runNamed } from "@/tests/support/run-named";
import { faults, usualFaults } from "./";

await runNamed("faults", faults, usualFaults);
