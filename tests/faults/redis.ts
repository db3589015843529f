import { setTimeout as pause } from "node:timers/promises";
import { hasRedis } from "@/tests/support/redis";
import type { RunOptions } from "@/tests/support/run-named";
import { withTestBed } from "./test-bed";

/** Kills Redis and starts it again, or suspends it for 2 s, alternately. Reports must be accepted meanwhile. */
export async function loseRedis(options: RunOptions): Promise<string[]> {
  if (!hasRedis()) return ["skipped: redis-server is not installed"];
  return withTestBed(options, { redis: true }, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(6, async (round) => {
      if (round % 2 === 0) {
        await bed.redis?.kill();
        await pause(1_000);
        await bed.redis?.restart();
      } else await bed.redis?.hang(2_000);
    });
    return bed.judge(`${rounds} times Redis was killed or stopped for 2 s, alternating`);
  });
}
