/** The first of several processes on one port: it starts the others and counts what must be counted once. */
import { log } from "@/lib/runtime/log";
// What it answers to the others.
import "@/lib/access/limits/shared/take-quota";
import "@/lib/runtime/places";
import { readConfiguration } from "@/lib/server/configuration";
import { sendConsoleToLog } from "@/lib/server/console-lines";
import { runProcess } from "@/lib/server/run-process";
import { stopped } from "@/lib/server/stop-signal";
import { Fleet } from "./fleet";

const config = readConfiguration();
sendConsoleToLog();
await runProcess(config, async (ready, stop) => {
  const fleet = new Fleet(config);
  // What a rename of the log's file tells this process it tells them all.
  if (config.logFile !== null) process.on("SIGHUP", () => fleet.signal("SIGHUP"));
  const cannotStart = fleet.start();
  log("info", "several processes serve this port", { count: config.webProcesses });
  try {
    // A schema that this build does not know ends all of them, with the reason of this one.
    await Promise.race([stopped(stop), ready.then(() => stopped(stop)), cannotStart]);
  } finally {
    await fleet.stop();
  }
});
