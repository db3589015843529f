import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { RunOptions } from "@/tests/support/run-named";
import { signInByForm } from "@/tests/support/sign-in";
import { type TestBed, withTestBed } from "./test-bed";

const HOURS = 2;
/** Pause in milliseconds in each round, during which the clients report positions. */
const TRADING_MS = 2_000;

/**
 * Runs two instances, one with its clock two hours ahead and one two hours behind, and swaps their clocks before each
 * round but the first (`--rounds`, one by default). Checks that keys end by the database clock, sessions work on both,
 * and no report is lost. Needs Debian's faketime.
 */
export async function shiftClocks(options: RunOptions): Promise<string[]> {
  const library = fakeTimeLibrary();
  if (library === null) return ["skipped: faketime is not installed"];
  let [turn, judged] = [0, 0];
  const environmentOf = (n: number) => ({
    LD_PRELOAD: library,
    FAKETIME: `${(n + turn) % 2 === 0 ? "+" : "-"}${HOURS}h`,
    DONT_FAKE_MONOTONIC: "1",
  });
  return withTestBed(options, { instances: 2, environmentOf }, async (bed) => {
    await bed.begin();
    const rounds = await bed.repeat(1, async (round) => {
      turn = round;
      if (round > 0) for (const n of [0, 1]) await bed.restartCleanly(n);
      judged += await judgeKeys(bed);
      await pause(TRADING_MS);
    });
    return [
      ...(await bed.judge(`clocks ${HOURS} hours ahead and ${HOURS} hours behind, ${rounds} times`)),
      `answers on which both agree, for keys and sessions: ${judged} of ${judged}`,
    ];
  });
}

/**
 * Throws unless a key that ends in an hour works on both instances, a key that ended a minute ago on neither, and a
 * session of either instance on both. Returns the number of checked answers.
 */
async function judgeKeys(bed: TestBed): Promise<number> {
  let seen = 0;
  for (const { interval, status } of [
    { interval: "1 hour", status: 200 },
    { interval: "-1 minute", status: 401 },
  ]) {
    const key = await bed.makeKey();
    await bed.endKey(key, interval);
    for (const { url } of bed.servers) {
      const answer = await patiently(() => fetch(`${url}/api/scan`, { headers: { "X-API-Key": key } }));
      if (answer.status !== status) throw new Error(`a key that ends in ${interval} got ${answer.status}`);
      seen++;
    }
  }
  const key = await bed.makeKey();
  for (const { url } of bed.servers) {
    const cookie = await signInByForm(url, "/login/by-key", { api_key: key });
    for (const other of bed.servers) {
      const page = await patiently(() =>
        fetch(`${other.url}/portal`, { headers: { Cookie: cookie }, redirect: "manual" }),
      );
      if (page.status !== 200) throw new Error(`a session of one instance got ${page.status} from the other`);
      seen++;
    }
  }
  return seen;
}

/** Sends a request, and once more after Retry-After if the first answer is 503. */
async function patiently(ask: () => Promise<Response>): Promise<Response> {
  const first = await ask();
  if (first.status !== 503) return first;
  await pause(1_000 * Number(first.headers.get("retry-after")));
  return ask();
}

function fakeTimeLibrary(): string | null {
  for (const directory of ["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime"]) {
    try {
      if (readdirSync(directory).includes("libfaketimeMT.so.1")) return join(directory, "libfaketimeMT.so.1");
    } catch {
      // The folder does not exist.
    }
  }
  return null;
}
