import type { Suite } from "@/tests/support/run-named";
import { runRandomFaults } from "./all-at-once";
import { shiftClocks } from "./clock";
import { fillDisk } from "./disk";
import { drainUnderLoad } from "./drain";
import { breakFeeds } from "./feeds";
import {
  delayNetwork,
  dropTraffic,
  leaveConnectionsHalfOpen,
  refuseConnections,
  resetConnections,
} from "./network";
import { hangDatabase, killApplication, killWorker, restartInTurn, stopDatabase } from "./processes";
import { loseRedis } from "./redis";
import { soak } from "./soak";
import { killStreams } from "./streams";
import { checkTimingLeaks } from "./timing";

/** Every fault by its command-line name. Each returns the lines to print at the end, or throws if a guarantee was broken. */
export const faults = {
  "kill-application": killApplication,
  "kill-worker": killWorker,
  "stop-database": stopDatabase,
  "hang-database": hangDatabase,
  "black-hole": dropTraffic,
  resets: resetConnections,
  "half-open": leaveConnectionsHalfOpen,
  slow: delayNetwork,
  refused: refuseConnections,
  "fill-disk": fillDisk,
  clock: shiftClocks,
  redis: loseRedis,
  "restart-in-turn": restartInTurn,
  drain: drainUnderLoad,
  feeds: breakFeeds,
  streams: killStreams,
  "all-at-once": runRandomFaults,
  timing: checkTimingLeaks,
  soak,
} satisfies Record<string, Suite>;

/** Faults that run when the command line names none. */
export const usualFaults = Object.keys(faults).filter(
  (name) => !["timing", "soak", "feeds", "streams"].includes(name),
);
