/** Entry of the thread that makes pages: Next, and whatever its pages and handlers stand on. */
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import next from "next";
import { closePools } from "@/db/client";
import { closeReplica } from "@/db/replica";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { changeHub } from "@/lib/api/watch/change-hub";
import { env } from "@/lib/runtime/env";
import { errorFacts, flushLog, log } from "@/lib/runtime/log";
import { operated } from "@/lib/runtime/operated";
import { joinAsPagesThread } from "@/lib/runtime/processes";
import { sendConsoleToLog } from "@/lib/server/console-lines";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { clearingAway } from "./clear-away";
import { handedServer } from "./forward";
import { localMaker } from "./local-maker";
import type { CutPage, PageVariant } from "./page-maker";
import { GOES_ON, MAKE_PAGE, type ThreadData, type ThreadNews, type ThreadOrder } from "./thread-words";

const root = fileURLToPath(new URL("..", import.meta.url));

if (parentPort === null) throw new Error("the thread that makes pages is started by the server");
const port = parentPort;
// The data that the server passes to it.
const { address }: ThreadData = workerData;

process.on("unhandledRejection", (reason) =>
  log("error", "an unhandled rejection", { error: errorFacts(reason) }),
);
sendConsoleToLog();
joinAsPagesThread(port, { [MAKE_PAGE]: makePublicPage, [GOES_ON]: () => true });
const application = next({
  dev: false,
  dir: root,
  hostname: "localhost",
  port: env().port,
  // decision 124: Next adds a listener for upgrades to its server. No other protocol is spoken here, so Next gets a server
  // that never listens.
  httpServer: createServer(),
});
await application.prepare();
const handle = application.getRequestHandler();
const maker = clearingAway(localMaker((request, response) => handle(request, response)));
const server = handedServer(maker);
server.listen(address);
await once(server, "listening");
followCalendars();
const letSettingsGo = operated().keep();
port.on("message", (order: ThreadOrder | { pages?: undefined }) => {
  if (order.pages === "close-streams") changeHub().stop();
  if (order.pages === "end") void end();
});
port.postMessage({ pages: "listening" } satisfies ThreadNews);

async function makePublicPage(variant: PageVariant, stamp: string): Promise<CutPage> {
  try {
    // What is kept for the new settings must not show the old ones.
    if (operated().now.stamp !== stamp) await operated().readAgainHere();
    return await maker.make(variant);
  } catch (error) {
    log("error", "a page failed", { route: variant.template, error: errorFacts(error) });
    throw error;
  }
}

async function end(): Promise<never> {
  server.close();
  server.closeAllConnections();
  letSettingsGo();
  sharedLimiter()?.close();
  await Promise.all([closePools(), closeReplica()]);
  await flushLog();
  process.exit(0);
}
