/**
 * `npm run faults -- NAME [NAME ...]`: runs the service under the named faults, or under all but feeds, streams, timing
 * and soak. Nothing acknowledged may be lost or happen twice. Under most faults no answer may take over three seconds,
 * and the service must be ready again five seconds after a fault. `--seed`, `--rounds` and `--minutes` set the random
 * choices and the duration.
 */
import { runNamedSuites } from "@/tests/support/run-named";
import { faults, usualFaults } from "./";

await runNamedSuites("faults", faults, usualFaults);
