import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { hasRedis } from "@/tests/support/redis";
import type { RunOptions } from "@/tests/support/run-named";
import { waitUntil } from "@/tests/support/server";
import { type TestBed, withTestBed } from "./test-bed";

const MINUTES = 2;

/**
 * Injects faults drawn at random, one after the other, some at both instances, for `--minutes`. The service runs as two
 * instances behind nginx (the configuration of `deploy/`), with one PostgreSQL and one Redis; nginx and Redis only if
 * they are installed. While PostgreSQL runs, a failed request must succeed at its first repetition after Retry-After.
 */
export async function runRandomFaults(options: RunOptions): Promise<string[]> {
  const withRedis = hasRedis();
  return withTestBed(
    { ...options, minutes: options.minutes ?? MINUTES },
    { instances: 2, redis: withRedis },
    async (bed) => {
      const balancer = await startNginx(bed);
      try {
        await bed.begin(balancer ? () => balancer.url : undefined, true);
        const counts = new Map<string, number>();
        const rounds = await bed.repeat(Number.POSITIVE_INFINITY, async () => {
          const [name, inject] = bed.dice.pick(FAULTS.filter(([, , needsRedis]) => withRedis || !needsRedis));
          counts.set(name, (counts.get(name) ?? 0) + 1);
          await bed.inject(name, () => inject(bed));
        });
        const told = [...counts].map(([name, n]) => `${name} ${n}`).join(", ");
        const front = balancer ? "behind nginx" : "in turn, without nginx, which is not installed";
        const lines = await bed.judge(`${rounds} faults at two instances ${front}: ${told}`);
        if (!bed.oneRepeatWasEnough) throw new Error(["one repetition was not enough", ...lines].join("\n"));
        return lines;
      } finally {
        await balancer?.stop();
      }
    },
  );
}

const one = (bed: TestBed) => bed.dice.below(2);

type Fault = readonly [name: string, inject: (bed: TestBed) => Promise<void>, needsRedis?: boolean];

const FAULTS: readonly Fault[] = [
  ["kill", (bed) => bed.killAndRestart(one(bed))],
  ["clean restart", (bed) => bed.restartCleanly(one(bed))],
  ["reset at one", async (bed) => bed.proxies[one(bed)]?.reset()],
  ["half open at one", async (bed) => bed.proxies[one(bed)]?.leaveHalfOpen()],
  [
    "black hole at one",
    async (bed) => {
      const proxy = bed.proxies[one(bed)];
      proxy?.welcome("silence");
      proxy?.silence();
      await pause(1_000 + bed.dice.below(2_000));
      proxy?.welcome("pass");
    },
  ],
  [
    "slow at both",
    async (bed) => {
      for (const proxy of bed.proxies) proxy.delay(20 + bed.dice.below(100));
      await pause(2_000);
      for (const proxy of bed.proxies) proxy.delay(0);
    },
  ],
  ["stop of PostgreSQL", (bed) => bed.stopDatabase(300)],
  ["hang of PostgreSQL", (bed) => bed.hangDatabase(500 + bed.dice.below(1_500))],
  [
    "kill of Redis",
    async (bed) => {
      await bed.redis?.kill();
      await pause(500);
      await bed.redis?.restart();
    },
    true,
  ],
  ["hang of Redis", async (bed) => bed.redis?.hang(1_500), true],
];

/** nginx with the upstream and location of `deploy/nginx.conf`, without TLS; null when it is not installed. */
async function startNginx(bed: TestBed): Promise<{ url: string; stop: () => Promise<void> } | null> {
  if (spawnSync("nginx", ["-v"]).error) return null;
  const port = await pickFreePort();
  const directory = join(bed.directory, "nginx");
  mkdirSync(directory, { recursive: true });
  const deployed = readFileSync(fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url)), "utf8");
  const ports = bed.servers.map((server) => server.port);
  const site = deployed
    .replace("127.0.0.1:3001", `127.0.0.1:${ports[0]}`)
    .replace("127.0.0.1:3002", `127.0.0.1:${ports[1]}`)
    .replace("listen 80;", `listen unix:${directory}/port-80;`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replaceAll(/^\s*ssl_certificate.*$/gm, "");
  const file = join(directory, "nginx.conf");
  writeFileSync(
    file,
    `user root;\nworker_processes 1;\ndaemon off;\npid ${directory}/nginx.pid;\nerror_log ${directory}/error.log;\n` +
      `events { worker_connections 512; }\nhttp {\naccess_log off;\nclient_body_temp_path ${directory}/body;\n` +
      `proxy_temp_path ${directory}/proxy;\n${site}\n}\n`,
  );
  const child: ChildProcess = spawn("nginx", ["-c", file, "-p", directory, "-e", `${directory}/error.log`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(
    () =>
      fetch(`${url}/api/health/live`).then(
        ({ ok }) => ok,
        () => false,
      ),
    10_000,
  );
  return {
    url,
    stop: async () => {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await gone;
    },
  };
}
