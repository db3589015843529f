import { ADMIN_SECRET } from "@/tests/support/database";
import { fillAdminDatabase } from "./admin-data";
import { startBenchService } from "./service";

const VOLUME = { subscribers: 10_000, signals: 1_000_000, executions: 1_000_000 };
const ROUNDS = 15;
const LIMIT_MS = 300;

const PAGES: Record<string, string> = {
  overview: "/admin",
  subscribers: "/admin/subscribers",
  "subscribers, page 150": "/admin/subscribers?page=150",
  "subscribers, searched": "/admin/subscribers?q=person77",
  "subscribers, silent by expiry": "/admin/subscribers?ea=silent&state=active&order=expiry",
  "a subscriber": "/admin/subscribers/77",
  "signals and slots": "/admin/signals",
  "a slot": "/admin/signals/EURUSD/M15",
  "a slot, a year back": "/admin/signals/EURUSD/H1?before=2025-11-21T00:00:00Z",
  models: "/admin/models",
  "a model": "/admin/models/EURUSD/M15",
  payments: "/admin/payments",
  "payments, flagged": "/admin/payments?flagged=yes",
  "payments, page 500": "/admin/payments?page=500",
  "a delivery": "/admin/payments/3000",
  mail: "/admin/mail",
  "mail, page 1000": "/admin/mail?page=1000",
  operations: "/admin/operations",
  "audit log": "/admin/operations/audit",
  "audit log of one action": "/admin/operations/audit?action=key.extend",
};

/**
 * Measures the time to the complete HTML of administration pages over loopback, with 10,000 subscribers, a million
 * signals with outcomes and a million executions. `first` is the first request of a page.
 */
export async function benchAdmin(): Promise<string[]> {
  const service = await startBenchService({ MARKET_FEED: "off", WORKER: "none" });
  try {
    const startedAt = performance.now();
    await fillAdminDatabase(service.sql, VOLUME);
    const filledSeconds = (performance.now() - startedAt) / 1000;
    const cookie = await signIn(service.server.url);
    const lines: string[] = [];
    const slow: string[] = [];
    for (const [name, path] of Object.entries(PAGES)) {
      const times: number[] = [];
      let bytes = 0;
      for (let round = 0; round <= ROUNDS; round++) {
        const sentAt = performance.now();
        const answer = await fetch(`${service.server.url}${path}`, {
          headers: { Cookie: cookie, Accept: "text/html" },
          redirect: "manual",
        });
        const text = await answer.text();
        times.push(performance.now() - sentAt);
        bytes = text.length;
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      }
      const [first = 0, ...warm] = times;
      warm.sort((a, b) => a - b);
      const median = warm[Math.floor(warm.length / 2)] ?? 0;
      const worst = warm.at(-1) ?? 0;
      if (worst > LIMIT_MS) slow.push(name);
      lines.push(
        `${name.padEnd(30)} median ${median.toFixed(0).padStart(4)} ms   worst ${worst.toFixed(0).padStart(4)} ms   first ${first.toFixed(0).padStart(5)} ms   ${(bytes / 1000).toFixed(0)} kB`,
      );
    }
    return [
      `${VOLUME.subscribers} subscribers, ${VOLUME.signals} signals, ${VOLUME.executions} executions (filled in ${filledSeconds.toFixed(0)} s), ${ROUNDS} rounds`,
      ...lines,
      slow.length === 0
        ? `every page within ${LIMIT_MS} ms`
        : `over ${LIMIT_MS} ms at worst: ${slow.join(", ")}`,
    ];
  } finally {
    await service.stop();
  }
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/admin/sign-in/enter`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ secret: ADMIN_SECRET }).toString(),
    redirect: "manual",
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`the bench could not sign in: ${answer.status}`);
  return cookie;
}
