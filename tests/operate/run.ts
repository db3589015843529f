/**
 * `npm run operate -- NAME`: the runbook's own commands on built processes, PostgreSQL, Redis and nginx, step by step.
 */
import { runNamed } from "@/tests/support/run-named";
import { operations } from "./";

await runNamed("operate", operations);
