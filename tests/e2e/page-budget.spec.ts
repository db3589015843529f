import { type CDPSession, expect, type Page } from "@playwright/test";
import { reportPositionHistory } from "@/tests/support/report-executions";
import { baseUrl, issueKey, PORTAL_PAGES, signInByKey, test } from "./portal-support";

const MAX_SCRIPT_BYTES = 20_000;
const MAX_LCP_MS = 1_500;
const MAX_CLS = 0.05;
/** Number of loads; the best counts, because other work on the machine slows some down. */
const LOADS = 3;

test("the sign-in page and every portal page stay within their script, paint and layout-shift budget on a four times slower processor", async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const { key } = await issueKey({ rate_limit_per_min: 100_000 });
  await reportPositionHistory({ baseUrl: baseUrl(), key, count: 200, now: new Date() });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await signInByKey(page, key);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  for (const path of ["/login?notice=again", ...PORTAL_PAGES]) {
    let best = await measure(page, session, path);
    for (let load = 1; load < LOADS && best.lcpMs > MAX_LCP_MS; load++) {
      const again = await measure(page, session, path);
      if (again.lcpMs < best.lcpMs) best = again;
    }
    console.log(
      `${path.padEnd(52)} script ${(best.scriptBytes / 1000).toFixed(0).padStart(4)} kB  LCP ${best.lcpMs.toFixed(0).padStart(5)} ms  CLS ${best.cls.toFixed(3)}`,
    );
    expect(best.scriptBytes, path).toBeLessThan(MAX_SCRIPT_BYTES);
    expect(best.lcpMs, path).toBeLessThan(MAX_LCP_MS);
    expect(best.cls, path).toBeLessThan(MAX_CLS);
  }
  await context.close();
});

/** Loads a page without its cache and returns what the browser measured. */
async function measure(page: Page, session: CDPSession, path: string) {
  let scriptBytes = 0;
  const types = new Map<string, string>();
  const onResponse = (event: { requestId: string; type: string }) => types.set(event.requestId, event.type);
  const onFinished = (event: { requestId: string; encodedDataLength: number }) => {
    if (types.get(event.requestId) === "Script") scriptBytes += event.encodedDataLength;
  };
  session.on("Network.responseReceived", onResponse);
  session.on("Network.loadingFinished", onFinished);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(baseUrl() + path, { waitUntil: "load" });
  await page.waitForTimeout(1_200);
  const { lcpMs, cls } = await page.evaluate(
    () =>
      new Promise<{ lcpMs: number; cls: number }>((done) => {
        let lcpMs = 0;
        let cls = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) lcpMs = entry.startTime;
        }).observe({ type: "largest-contentful-paint", buffered: true });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) cls += Number(Reflect.get(entry, "value"));
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done({ lcpMs, cls }), 100);
      }),
  );
  session.off("Network.responseReceived", onResponse);
  session.off("Network.loadingFinished", onFinished);
  return { scriptBytes, lcpMs, cls };
}
