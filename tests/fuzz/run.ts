/** `npm run fuzz -- NAME [NAME ...]`: random input in numbers too large for `npm test`. Ends at the first difference. */
import { runNamed } from "@/tests/support/run-named";
import { fuzzes } from "./";

await runNamed("fuzz", fuzzes);
