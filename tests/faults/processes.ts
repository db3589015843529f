import { setTimeout as pause } from "node:timers/promises";
import type { RunOptions } from "@/tests/support/run-named";
import { withTestBed } from "./test-bed";

/** Kills the application (SIGKILL) repeatedly during writes. */
export function killApplication(options: RunOptions): Promise<string[]> {
  return withTestBed(options, {}, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(20, () => bed.killAndRestart(0));
    return bed.judge(`${rounds} kills of the application`);
  });
}

/** Kills the separate worker (SIGKILL) repeatedly while mails are queued. */
export function killWorker(options: RunOptions): Promise<string[]> {
  return withTestBed(options, { worker: true }, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(20, () => bed.restartWorker());
    return bed.judge(`${rounds} kills of the worker`);
  });
}

/** Stops PostgreSQL repeatedly during writes without a checkpoint, as a power cut would. */
export function stopDatabase(options: RunOptions): Promise<string[]> {
  return withTestBed(options, {}, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(10, () => bed.stopDatabase(300));
    return bed.judge(`${rounds} immediate stops of PostgreSQL`);
  });
}

/** Suspends every PostgreSQL process repeatedly, for 1 to 5 seconds. */
export function hangDatabase(options: RunOptions): Promise<string[]> {
  return withTestBed(options, {}, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(5, () => bed.hangDatabase(1_000 + bed.dice.below(4_000)));
    return bed.judge(`${rounds} times PostgreSQL was stopped for 1 to 5 s`);
  });
}

/**
 * Restarts two instances of one database alternately. Every report must be accepted at its first or second attempt,
 * because one instance is always running.
 */
export function restartInTurn(options: RunOptions): Promise<string[]> {
  return withTestBed(options, { instances: 2 }, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(6, async (round) => {
      await pause(1_000);
      await bed.restartCleanly(round % 2);
    });
    const lines = await bed.judge(`${rounds} restarts of one of two instances`);
    if (!bed.oneRepeatWasEnough) throw new Error(["one repetition was not enough", ...lines].join("\n"));
    return lines;
  });
}
