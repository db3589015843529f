import { existsSync, readFileSync, renameSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_SECRET, createDatabase, testEnvironment } from "@/tests/support/database";
import { freePort, type RunningServer, startProcess, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { type Database, makeKey } from "./built-server";

const WEB = 2;
/** Processes are started anew here, which takes long on a busy machine. */
const LONG_MS = 180_000;

/** The web processes below this one, by what the kernel says that they run. */
function webProcesses(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children.map(Number).filter((child) => commandOf(child).includes("web.mjs"));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** One request on a connection of its own, so that each process may take it. */
function ask(url: string, key: string, method = "GET"): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const sent = request(url, { method, agent: false, headers: { "X-API-Key": key } }, (answer) => {
      let text = "";
      answer.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, text }));
      answer.on("error", fail);
    });
    sent.on("error", fail);
    sent.end();
  });
}

/** An event stream that stays open, or the status of a refusal. */
function openStream(url: string, key: string): Promise<{ status: number; close: () => void }> {
  return new Promise((done, fail) => {
    const sent = request(`${url}/api/stream`, { agent: false, headers: { "X-API-Key": key } }, (answer) => {
      answer.on("error", () => undefined);
      answer.resume();
      done({ status: answer.statusCode ?? 0, close: () => sent.destroy() });
    });
    sent.on("error", fail);
    sent.end();
  });
}

const statuses = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe.sequential("several processes on one port", { timeout: LONG_MS }, () => {
  let database: Database;
  let server: RunningServer;
  const log = join(temporaryDirectory("signal-several-"), "service.log");
  const logged = (text: string) => (existsSync(log) ? readFileSync(log, "utf8").split(text).length - 1 : 0);

  beforeAll(async () => {
    database = await createDatabase();
    const port = await freePort();
    const environment = testEnvironment(database.url, {
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      MARKET_FEED: "off",
      LOG_FILE: log,
      LOG_LEVEL: "info",
      WEB_PROCESSES: String(WEB),
      METRICS_TOKEN: "metrics-token-of-the-test",
    });
    server = await startProcess(
      "server.mjs",
      environment,
      port,
      (output) => output.includes("is ready at") && logged('"listening"') === WEB,
    );
  }, LONG_MS);
  afterAll(async () => {
    await server.kill();
    await database.drop();
  });

  const issue = async (grant: object): Promise<string> => {
    const body = JSON.stringify({ user_name: "Tester", plan_tier: "pro", ...grant });
    const headers = { "X-Admin-Secret": ADMIN_SECRET };
    return (await (await fetch(`${server.url}/admin/keys`, { method: "POST", headers, body })).json())
      .api_key;
  };
  const counted = async (name: string): Promise<number> => {
    const headers = { Authorization: "Bearer metrics-token-of-the-test" };
    const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1) ?? 0);
  };
  const POLLS_DONE = 'sds_requests_total{route="/api/scan",status="2xx"}';
  const POLLS_REFUSED = 'sds_requests_total{route="/api/scan",status="4xx"}';

  it("are as many as configured, and one that does the background work; one of them greets", async () => {
    expect(webProcesses(server.pid)).toHaveLength(WEB);
    await waitUntil(async () => logged('"the worker leads"') === 1, LONG_MS);
    expect(server.output().match(/is ready at/g)).toHaveLength(1);
  });

  it("count limits together and exactly, and tell their figures together", async () => {
    const key = await issue({ rate_limit_per_min: 40 });
    const [done, refused] = [await counted(POLLS_DONE), await counted(POLLS_REFUSED)];
    const answers = await Promise.all(Array.from({ length: 160 }, () => ask(`${server.url}/api/scan`, key)));
    expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([40, 120]);
    expect([await counted(POLLS_DONE), await counted(POLLS_REFUSED)]).toEqual([done + 40, refused + 120]);
  });

  it("count the open requests of a key together, and those of a process that was killed no more", async () => {
    const key = await issue({});
    const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(server.url, key)));
    expect([statuses(streams, 200), statuses(streams, 429)]).toEqual([3, 2]);
    for (const pid of webProcesses(server.pid)) process.kill(pid, "SIGKILL");
    await waitUntil(async () => logged('"listening"') === 2 * WEB, LONG_MS);
    const again = await Promise.all(Array.from({ length: 5 }, () => openStream(server.url, key)));
    expect([statuses(again, 200), statuses(again, 429)]).toEqual([3, 2]);
    for (const { close } of again) close();
  });

  it("go on while one of them is killed under load, without giving anyone a new minute", async () => {
    const key = await makeKey(server);
    const used = await issue({ rate_limit_per_min: 5 });
    for (let n = 0; n < 5; n++) await ask(`${server.url}/api/scan`, used);
    const listening = logged('"listening"');
    const failed: string[] = [];
    let stop = false;
    let asked = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!stop) {
        asked++;
        const once = () => ask(`${server.url}/api/scan`, key);
        // What was on a connection of the killed process is lost, and is asked once more.
        const answer = await once()
          .catch(once)
          .catch((error: Error) => ({ status: 0, text: error.message }));
        if (answer.status !== 200) failed.push(`${answer.status} ${answer.text}`);
      }
    });
    const [victim] = webProcesses(server.pid);
    process.kill(victim ?? 0, "SIGKILL");
    // Asked at once: in a minute it may ask again.
    expect((await ask(`${server.url}/api/scan`, used)).status).toBe(429);
    await waitUntil(async () => logged('"listening"') === listening + 1, LONG_MS);
    const before = asked;
    await waitUntil(async () => asked > before + 50, LONG_MS);
    stop = true;
    await Promise.all(callers);
    expect(failed).toEqual([]);
    expect(webProcesses(server.pid)).toHaveLength(WEB);
    expect(webProcesses(server.pid)).not.toContain(victim);
    expect(logged('"a process ended and is started again"')).toBeGreaterThanOrEqual(1);
  });

  it("all begin their log anew on SIGHUP, also those that were started later", async () => {
    const key = await makeKey(server);
    renameSync(log, `${log}.1`);
    process.kill(server.pid, "SIGHUP");
    await waitUntil(async () => existsSync(log), LONG_MS);
    // Lines leave at the latest each second: both processes have written when as many lines are there as were asked for.
    const until = async () => {
      await Promise.all(Array.from({ length: 20 }, () => ask(`${server.url}/api/scan`, key)));
      return logged('"/api/scan"') > 40;
    };
    await waitUntil(until, LONG_MS);
    const old = readFileSync(`${log}.1`, "utf8").length;
    await until();
    expect(readFileSync(`${log}.1`, "utf8")).toHaveLength(old);
    for (const line of readFileSync(log, "utf8").trim().split("\n").slice(0, -1)) JSON.parse(line);
  });

  it("answer what waits, end all and leave nothing behind when told to stop", async () => {
    const key = await makeKey(server);
    const pids = webProcesses(server.pid);
    const etag = await new Promise<string>((done) => {
      request(`${server.url}/api/scan`, { agent: false, headers: { "X-API-Key": key } }, (answer) => {
        answer.resume();
        done(answer.headers.etag ?? "");
      }).end();
    });
    // The look below takes a place for a moment, and the wait that found none then asks again.
    const wait = async (): Promise<number> => {
      const headers = { "X-API-Key": key, "If-None-Match": etag };
      const { status } = await fetch(`${server.url}/api/scan?wait=50`, { headers });
      return status === 429 ? wait() : status;
    };
    const waiting = Array.from({ length: 3 }, wait);
    await waitUntil(async () => {
      const stream = await openStream(server.url, key);
      stream.close();
      return stream.status === 429;
    }, LONG_MS);
    expect(await server.stop()).toBe(0);
    expect(await Promise.all(waiting)).toEqual([304, 304, 304]);
    expect(pids.map(commandOf)).toEqual(pids.map(() => ""));
  });
});

it("a port that is taken ends all of them with the reason, and 1", { timeout: LONG_MS }, async () => {
  const database = await createDatabase();
  const taken = createServer();
  const port = await new Promise<number>((done) => {
    taken.listen(0, () => {
      const address = taken.address();
      done(typeof address === "object" && address ? address.port : 0);
    });
  });
  const environment = testEnvironment(database.url, {
    PORT: String(port),
    MARKET_FEED: "off",
    WEB_PROCESSES: "2",
    LOG_FILE: "",
  });
  let output = "";
  let ended = false;
  await startProcess("server.mjs", environment, port, (so) => {
    output = so;
    return false;
  }).catch((error: Error) => {
    ended = error.message.startsWith("the process ended at its start");
  });
  expect(output).toContain("EADDRINUSE");
  expect(ended).toBe(true);
  taken.close();
  await database.drop();
});
