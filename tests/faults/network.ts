import { setTimeout as pause } from "node:timers/promises";
import type { RunOptions } from "@/tests/support/run-named";
import type { TcpProxy } from "@/tests/support/tcp-proxy";
import { type TestBed, withTestBed } from "./test-bed";

/** A suite that repeats one network fault between the application and PostgreSQL. */
function faultOf(
  name: string,
  rounds: number,
  inject: (proxy: TcpProxy, bed: TestBed) => Promise<void>,
): (options: RunOptions) => Promise<string[]> {
  return (options) =>
    withTestBed(options, {}, async (bed) => {
      await bed.begin();
      const repeated = await bed.repeat(rounds, async () => {
        for (const proxy of bed.proxies) await inject(proxy, bed);
      });
      return bed.judge(`${repeated} times ${name}`);
    });
}

/** Drops all traffic for 1 to 5 seconds, also on new connections. Connections open at that time stay silent afterwards. */
export const dropTraffic = faultOf("a black hole of 1 to 5 s", 5, async (proxy, { dice }) => {
  proxy.welcome("silence");
  proxy.silence();
  await pause(1_000 + dice.below(4_000));
  proxy.welcome("pass");
});

/** Resets every open connection. */
export const resetConnections = faultOf("all connections reset", 20, async (proxy) => proxy.reset());

/** Closes every connection on PostgreSQL's side only, so that the application is not notified. */
export const leaveConnectionsHalfOpen = faultOf("all connections half open", 5, async (proxy) =>
  proxy.leaveHalfOpen(),
);

/** Delays all data in both directions for three seconds, by a time of 20 to 220 ms that is drawn for each round. */
export const delayNetwork = faultOf("a network delayed by 20 to 220 ms", 5, async (proxy, { dice }) => {
  proxy.delay(20 + dice.below(200));
  await pause(3_000);
  proxy.delay(0);
});

/** Closes the database's port for 1 to 4 seconds, so that connections are cut and new ones refused. */
export const refuseConnections = faultOf("a database refused for 1 to 4 s", 5, async (proxy, { dice }) => {
  await proxy.cut();
  await pause(1_000 + dice.below(3_000));
  await proxy.open();
});
