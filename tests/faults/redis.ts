import { setTimeout as pause } from "node:timers/promises";
import { hasRedis } from "@/tests/support/redis";
import type { RunOptions } from "@/tests/support/run-named";
import { onStage } from "./stage";

/** Kills Redis and starts it again, or suspends it for 2 s, alternately. Reports must be accepted meanwhile. */
export async function loseRedis(options: RunOptions): Promise<string[]> {
  if (!hasRedis()) return ["skipped: redis-server is not installed"];
  return onStage(options, { redis: true }, async (stage) => {
    await stage.begin();
    const rounds = await stage.repeat(6, async (round) => {
      if (round % 2 === 0) {
        await stage.redis?.kill();
        await pause(1_000);
        await stage.redis?.restart();
      } else await stage.redis?.hang(2_000);
    });
    return stage.judge(`${rounds} times Redis was killed or stopped for 2 s, alternating`);
  });
}
