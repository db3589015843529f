/**
 * `npm run faults -- NAME [NAME ...]`, or all: the service under faults, checked against the clients' journals.
 * Nothing acknowledged may be lost, nothing may happen twice, no answer may take over three seconds, and five seconds
 * after a fault the service is ready again. The figures come last. `--seed`, `--rounds` and `--minutes` set the
 * random choices and the duration.
 */
import { runNamed } from "@/tests/support/run-named";
import { faults, usualFaults } from "./";

await runNamed("faults", faults, usualFaults);
