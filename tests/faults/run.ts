/**
 * `npm run faults -- NAME [NAME ...]`: runs the service under the named faults, or under those that end within a few
 * minutes. Nothing acknowledged may be lost or happen twice, no answer may take over three seconds, and the service must
 * be ready again five seconds after a fault. `--seed`, `--rounds` and `--minutes` set the random choices and the
 * duration.
 */
import { runNamedSuites } from "@/tests/support/run-named";
import { faults, usualFaults } from "./";

await runNamedSuites("faults", faults, usualFaults);
