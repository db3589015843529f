import { setTimeout as pause } from "node:timers/promises";
import type { RunOptions } from "@/tests/support/run-named";
import { onStage } from "./stage";

/** Kills the application (SIGKILL) repeatedly during writes. */
export function killApplication(options: RunOptions): Promise<string[]> {
  return onStage(options, {}, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(20, () => stage.killAndRestart(0));
    return stage.judge(`${rounds} kills of the application`);
  });
}

/** Kills the separate worker (SIGKILL) repeatedly while mails are queued. */
export function killWorker(options: RunOptions): Promise<string[]> {
  return onStage(options, { worker: true }, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(20, () => stage.restartWorker());
    return stage.judge(`${rounds} kills of the worker`);
  });
}

/** Stops PostgreSQL repeatedly during writes without a checkpoint, as a power cut would. */
export function stopDatabase(options: RunOptions): Promise<string[]> {
  return onStage(options, {}, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(10, () => stage.stopDatabase(300));
    return stage.judge(`${rounds} immediate stops of PostgreSQL`);
  });
}

/** Suspends every PostgreSQL process repeatedly, for 1 to 5 seconds. */
export function hangDatabase(options: RunOptions): Promise<string[]> {
  return onStage(options, {}, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(5, () => stage.hangDatabase(1_000 + stage.dice.below(4_000)));
    return stage.judge(`${rounds} times PostgreSQL was stopped for 1 to 5 s`);
  });
}

/**
 * Restarts two instances of one database alternately. Every report must be accepted at its first or second attempt,
 * because one instance is always running.
 */
export function restartInTurn(options: RunOptions): Promise<string[]> {
  return onStage(options, { instances: 2 }, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(6, async (round) => {
      await pause(1_000);
      await stage.restartCleanly(round % 2);
    });
    const lines = await stage.judge(`${rounds} restarts of one of two instances`);
    if (!stage.oneRepeatWasEnough) throw new Error(["one repetition was not enough", ...lines].join("\n"));
    return lines;
  });
}
