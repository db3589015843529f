import { beforeEach, describe, expect, it } from "vitest";
import { POST as signals } from "@/app/admin/(area)/signals/act/route";
import { db } from "@/db/client";
import { listOpenPauses } from "@/db/queries/pauses";
import { readPauseReach } from "@/lib/admin/read-pause-reach";
import { postFormForFlash, signInAdmin } from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";

useDatabase();

const { pause } = signals.forms;
const ALL = { symbol: null, timeframe: null };
let cookie: string;

beforeEach(async () => {
  const sql = connectDirectly();
  await sql`delete from pauses`;
  await sql.end();
  cookie = await signInAdmin();
});

const send = (fields: Record<string, string>) =>
  postFormForFlash(pause, {}, { reason: "Bad prices", until: "", ...fields }, cookie);

describe("pausing signals", () => {
  it("the form for a pause needs a target, and shows a preview before it pauses anything", async () => {
    expect(await send({ target: "" })).toMatchObject({
      kind: "form",
      errors: { target: expect.any(String) },
    });
    expect(await send({ target: "all" })).toMatchObject({ kind: "form", errors: {} });
    expect(await listOpenPauses(db())).toEqual([]);
  });

  it("a pause of everything needs the typed word", async () => {
    for (const typed_word of ["", "pause", "STOP"])
      expect(await send({ target: "all", confirmed: "true", typed_word })).toMatchObject({ kind: "failed" });
    expect(await listOpenPauses(db())).toEqual([]);
    expect(await send({ target: "all", confirmed: "true", typed_word: "PAUSE" })).toMatchObject({
      kind: "done",
    });
    expect(await listOpenPauses(db())).toMatchObject([ALL]);
  });

  it("a pause of a slot needs a confirmation but no typed word", async () => {
    await ingest("signals", [signalItem({ symbol: "EURUSD", timeframe: "H1", ts: hourlyCandleOpenTime(1) })]);
    expect(await send({ target: "EURUSD/H1" })).toMatchObject({ kind: "form", errors: {} });
    expect(await listOpenPauses(db())).toEqual([]);
    expect(await send({ target: "EURUSD/H1", confirmed: "true" })).toMatchObject({ kind: "done" });
    expect(await listOpenPauses(db())).toMatchObject([{ symbol: "EURUSD", timeframe: "H1" }]);
  });

  it("readPauseReach counts the slots and subscribers that a pause affects", async () => {
    await ingest("signals", [
      signalItem({ symbol: "EURUSD", timeframe: "H1", ts: hourlyCandleOpenTime(1) }),
      signalItem({ symbol: "EURUSD", timeframe: "H4", ts: hourlyCandleOpenTime(8) }),
      signalItem({ symbol: "BTCUSD", timeframe: "H1", ts: hourlyCandleOpenTime(1) }),
    ]);
    const pro = await makeKey({ plan_tier: "pro" });
    await makeKey({ plan_tier: "basic" });
    await makeKey({ plan_tier: "pro", symbols_allowed: ["BTCUSD"] });
    await call("GET", "/api/account/me", { key: pro.key });
    const reach = (symbol: string | null, timeframe: "H1" | null = null) =>
      readPauseReach(db(), { symbol, timeframe });
    const slotsBefore = (await reach(null)).slots;
    expect(slotsBefore).toBeGreaterThanOrEqual(3);
    expect(await reach("EURUSD")).toMatchObject({ slots: 2, subscribers: 2 });
    expect(await reach("EURUSD", "H1")).toMatchObject({ slots: 1, subscribers: 2 });
    expect(await reach("BTCUSD")).toMatchObject({ slots: 1, subscribers: 2 });
    expect((await reach(null)).subscribers).toBe(3);
  });
});
