import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { hasRedis } from "@/tests/support/redis";
import type { RunOptions } from "@/tests/support/run-named";
import { waitUntil } from "@/tests/support/server";
import { onStage, type Stage } from "./stage";

const MINUTES = 2;

/**
 * Two instances behind nginx with the configuration of `deploy/`, one PostgreSQL and one Redis. Faults are drawn by
 * the seed in turn, some at both instances at once. One repetition after Retry-After must be enough whenever
 * PostgreSQL itself was up.
 */
export async function allAtOnce(options: RunOptions): Promise<string[]> {
  const withRedis = hasRedis();
  return onStage(
    { ...options, minutes: options.minutes ?? MINUTES },
    { instances: 2, redis: withRedis },
    async (stage) => {
      const balancer = await startNginx(stage);
      try {
        await stage.begin(balancer ? () => balancer.url : undefined, true);
        const counts = new Map<string, number>();
        const rounds = await stage.repeat(Number.POSITIVE_INFINITY, async () => {
          const [name, inject] = stage.dice.pick(
            FAULTS.filter(([, , needsRedis]) => withRedis || !needsRedis),
          );
          counts.set(name, (counts.get(name) ?? 0) + 1);
          await stage.inject(name, () => inject(stage));
        });
        const told = [...counts].map(([name, n]) => `${name} ${n}`).join(", ");
        const front = balancer ? "behind nginx" : "in turn, without nginx, which is not installed";
        const lines = await stage.judge(`${rounds} faults at two instances ${front}: ${told}`);
        if (!stage.oneRepeatWasEnough)
          throw new Error(["one repetition was not enough", ...lines].join("\n"));
        return lines;
      } finally {
        await balancer?.stop();
      }
    },
  );
}

const one = (stage: Stage) => stage.dice.below(2);

type Fault = readonly [name: string, inject: (stage: Stage) => Promise<void>, needsRedis?: boolean];

const FAULTS: readonly Fault[] = [
  ["kill", (stage) => stage.killAndRestart(one(stage))],
  ["clean restart", (stage) => stage.restartCleanly(one(stage))],
  ["reset at one", async (stage) => stage.proxies[one(stage)]?.reset()],
  ["half open at one", async (stage) => stage.proxies[one(stage)]?.leaveHalfOpen()],
  [
    "black hole at one",
    async (stage) => {
      const proxy = stage.proxies[one(stage)];
      proxy?.welcome("silence");
      proxy?.silence();
      await pause(1_000 + stage.dice.below(2_000));
      proxy?.welcome("pass");
    },
  ],
  [
    "slow at both",
    async (stage) => {
      for (const proxy of stage.proxies) proxy.delay(20 + stage.dice.below(100));
      await pause(2_000);
      for (const proxy of stage.proxies) proxy.delay(0);
    },
  ],
  ["stop of PostgreSQL", (stage) => stage.stopDatabase(300)],
  ["hang of PostgreSQL", (stage) => stage.hangDatabase(500 + stage.dice.below(1_500))],
  [
    "kill of Redis",
    async (stage) => {
      await stage.redis?.kill();
      await pause(500);
      await stage.redis?.restart();
    },
    true,
  ],
  ["hang of Redis", async (stage) => stage.redis?.hang(1_500), true],
];

/** nginx with the upstream and location of `deploy/nginx.conf`, without TLS; null when it is not installed. */
async function startNginx(stage: Stage): Promise<{ url: string; stop: () => Promise<void> } | null> {
  if (spawnSync("nginx", ["-v"]).error) return null;
  const port = await pickFreePort();
  const directory = join(stage.directory, "nginx");
  mkdirSync(directory, { recursive: true });
  const deployed = readFileSync(fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url)), "utf8");
  const ports = stage.servers.map((server) => server.port);
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
