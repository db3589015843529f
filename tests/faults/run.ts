/**
 * `npm run faults -- NAME [NAME ...]`: the product under violence, with a client's own journal as the judge. Nothing
 * that was acknowledged may be lost and nothing may happen twice. The figures come last.
 */
import { runNamed } from "@/tests/support/run-named";
import { faults } from "./";

await runNamed("faults", faults);
