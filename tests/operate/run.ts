/**
 * `npm run operate -- NAME`: the runbook's commands with built processes, PostgreSQL, Redis and nginx, step by step.
 */
import { runNamed } from "@/tests/support/run-named";
import { operations } from "./";

await runNamed("operate", operations);
