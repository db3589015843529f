/**
 * `npm run faults -- NAME [NAME ...]`: the product under violence, with a client's own journal as the judge. Nothing
 * that was acknowledged may be lost and nothing may happen twice. The figures come last.
 */
import { runNamed } from "../support/run-named";
import { faults } from "./index";

await runNamed("faults", faults);
