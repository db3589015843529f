/** `npm run operate -- NAME`: runs scenarios of operating the service with its built processes, and prints each step. */
import { runNamedSuites } from "@/tests/support/run-named";
import { scenarios } from "./";

await runNamedSuites("operate", scenarios);
