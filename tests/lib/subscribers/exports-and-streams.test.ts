import { afterEach, describe, expect, it } from "vitest";
import { GET as adminExport } from "@/app/admin/(area)/operations/export/[what]/route";
import { GET as exportCsv } from "@/app/portal/executions/export/route";
import { GET as live } from "@/app/portal/live/route";
import { GET as myData } from "@/app/portal/settings/my-data/route";
import { changeHub } from "@/lib/api/watch/change-hub";
import { streamText } from "@/lib/runtime/stream-text";
import { signInAdmin } from "@/tests/support/admin-browser";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalRequest, signInWithKey } from "@/tests/support/portal";

useDatabase();

const cookieOfNewKey = async () => signInWithKey((await makeKey({})).key);

describe("a download", () => {
  it("a subscription has one download at a time, and another after it ended or was cancelled", async () => {
    const [own, other] = [await cookieOfNewKey(), await cookieOfNewKey()];
    const first = await myData(portalRequest("/portal/settings/my-data", own));
    expect(first.status).toBe(200);
    for (const get of [myData, exportCsv]) {
      const refused = await get(portalRequest("/portal/executions/export", own));
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
      expect(await refused.text()).toContain("already running");
    }
    const others = await exportCsv(portalRequest("/portal/executions/export", other));
    expect(await others.text()).toContain("exec_id");
    expect(JSON.parse(await first.text())).toMatchObject({ executions: [] });
    const stopped = await exportCsv(portalRequest("/portal/executions/export", own));
    expect(stopped.status).toBe(200);
    await stopped.body?.cancel();
    const again = await exportCsv(portalRequest("/portal/executions/export", own));
    expect(again.status).toBe(200);
    await again.text();
  });

  it("a download requested with HEAD does not count as a running download", async () => {
    const cookie = await cookieOfNewKey();
    for (const get of [myData, exportCsv]) {
      const head = await get(
        new Request(portalRequest("/portal/executions/export", cookie), { method: "HEAD" }),
      );
      expect([head.status, head.body]).toEqual([200, null]);
      expect(head.headers.get("content-disposition")).toContain("attachment");
    }
    expect((await exportCsv(portalRequest("/portal/executions/export", cookie))).status).toBe(200);
  });

  it("a second download of the same table gets 429 until the operator's first one has ended", async () => {
    const cookie = await signInAdmin();
    const ask = (what: string) => {
      const request = portalRequest(`/admin/operations/export/${what}`, cookie);
      return adminExport(request, { params: Promise.resolve({ what }) });
    };
    const first = await ask("audit");
    expect((await ask("audit")).status).toBe(429);
    expect(await (await ask("executions")).text()).toContain("exec_id");
    await first.text();
    expect((await ask("audit")).status).toBe(200);
  });

  it("a download produces a chunk only after the previous one was read, one at a time in the process", async () => {
    let made = 0;
    let making = 0;
    let mostAtOnce = 0;
    async function* pieces(count: number): AsyncGenerator<string, void> {
      for (let n = 0; n < count; n++) {
        mostAtOnce = Math.max(mostAtOnce, ++making);
        await new Promise((done) => setTimeout(done, 5));
        making--;
        made++;
        yield "piece";
      }
    }
    const slow = streamText(pieces(100)).getReader();
    await slow.read();
    await new Promise((done) => setTimeout(done, 50));
    expect(made).toBeLessThanOrEqual(2);
    await slow.cancel();
    const texts = await Promise.all(
      Array.from({ length: 8 }, () => new Response(streamText(pieces(10))).text()),
    );
    expect(texts).toEqual(Array(8).fill("piece".repeat(10)));
    expect(mostAtOnce).toBe(1);
  });

  it("a failed download calls the function that makes room for the next one", async () => {
    let ended = 0;
    // biome-ignore lint/correctness/useYield: it fails before its first piece
    async function* broken(): AsyncGenerator<string, void> {
      throw new Error("the database went away");
    }
    for (let n = 0; n < 5; n++)
      await expect(new Response(streamText(broken(), () => ended++)).text()).rejects.toThrow("went away");
    expect(ended).toBe(5);
  });
});

describe("streams of live portal pages", () => {
  const stopping: AbortController[] = [];
  afterEach(() => {
    for (const controller of stopping.splice(0)) controller.abort();
  });
  /** Opens a stream whose client disconnects when the test ends. */
  const open = (cookie: string) => {
    const controller = new AbortController();
    stopping.push(controller);
    return live(new Request(portalRequest("/portal/live", cookie), { signal: controller.signal }));
  };

  it("a session has at most four streams of live portal pages, and closing one makes room for another", async () => {
    const [own, other] = [await cookieOfNewKey(), await cookieOfNewKey()];
    const answers = await Promise.all(Array.from({ length: 4 }, () => open(own)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await open(own);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect((await live(portalRequest("/portal/live?once", own))).status, "asking instead").toBe(200);
    expect((await open(other)).status).toBe(200);
    stopping[0]?.abort();
    // A disconnecting client ends its stream twice: the body is cancelled, and the request is aborted.
    await answers[1]?.body?.cancel();
    stopping[1]?.abort();
    const head = await live(new Request(portalRequest("/portal/live", own), { method: "HEAD" }));
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect((await open(own)).status).toBe(200);
    expect((await open(own)).status).toBe(200);
    expect((await open(own)).status).toBe(429);
  });

  it("a process has at most two thousand streams of live portal pages", async () => {
    const quiet = { subscriptionId: 0, send: () => undefined, stopped: () => undefined };
    const remove = Array.from({ length: 2_000 }, () => changeHub().addPage({ ...quiet }));
    const cookie = await cookieOfNewKey();
    const refused = await open(cookie);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    for (const end of remove) end();
    expect((await open(cookie)).status).toBe(200);
  });

  it("a stream of a live portal page makes room when the browser disconnects before the answer", async () => {
    const cookie = await cookieOfNewKey();
    const signal = AbortSignal.abort();
    for (let n = 0; n < 5; n++)
      expect((await live(new Request(portalRequest("/portal/live", cookie), { signal }))).status).toBe(200);
    expect((await open(cookie)).status).toBe(200);
  });
});
