/** `npm run research -- NAME [--samples N]`: studies of the engine's method. Figures are printed last. */
import { runNamedSuites } from "@/tests/support/run-named";
import { studies } from "./";

await runNamedSuites("research", studies);
