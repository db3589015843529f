/** `npm run operate -- NAME`: runs scenarios of operating the service with its built processes, and prints each step. */
import { runNamed } from "@/tests/support/run-named";
import { operations } from "./";

await runNamed("operate", operations);
