import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { type HealthProbe, listIncidents, listOpenIncidents } from "@/db/queries/incidents";
import { insertProbe } from "@/db/queries/probes";
import { findFirstProbeMinute, listProbeDays, WHOLE_SERVICE } from "@/db/queries/uptime";
import { incidentTransitions } from "@/lib/health/incident-transitions";
import { trackIncidents } from "@/lib/health/track-incidents";
import { observationStart, UPTIME_DAYS, uptimeDays, uptimePct } from "@/lib/health/uptime";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const START = Date.UTC(2026, 10, 20, 23, 50);
const minute = (index: number) => new Date(START + index * 60_000);

const probe = (index: number, status: HealthProbe["status"], predictions = status): HealthProbe => ({
  minute: minute(index),
  status,
  reasons: status === "ok" ? [] : ["stale_slots: 3 of 9 active slots have no fresh signal"],
  components: { database: "ok", predictions },
});

async function see(...probes: HealthProbe[]) {
  for (const one of probes) {
    await insertProbe(db(), one);
    await db().transaction(trackIncidents);
  }
}

describe("two consecutive probes", () => {
  it("one bad probe of the last two opens no incident", () => {
    expect(incidentTransitions([], [probe(1, "degraded"), probe(0, "ok")])).toEqual([]);
  });

  it("a single probe opens no incident", () => {
    expect(incidentTransitions([], [probe(0, "down")])).toEqual([]);
  });

  it("two bad probes in a row open an incident only for the affected component", () => {
    const moves = incidentTransitions([], [probe(1, "ok", "degraded"), probe(0, "ok", "degraded")]);
    expect(moves).toEqual([
      expect.objectContaining({
        kind: "open",
        component: "predictions",
        severity: "degraded",
        at: minute(0),
      }),
    ]);
  });

  it("two bad probes in a row open a service-wide incident when no component explains the trouble", () => {
    const moves = incidentTransitions([], [probe(1, "down", "ok"), probe(0, "down", "ok")]);
    expect(moves).toEqual([
      expect.objectContaining({ kind: "open", component: WHOLE_SERVICE, severity: "down" }),
    ]);
    expect(incidentTransitions([], [probe(1, "down"), probe(0, "down")])).toEqual([
      expect.objectContaining({ kind: "open", component: "predictions" }),
    ]);
  });

  it("two bad probes neither open a running incident twice nor lower its severity", () => {
    const [now, before] = [probe(1, "ok", "degraded"), probe(0, "ok", "degraded")];
    const open = [{ id: 7, component: "predictions", severity: "down" as const, reasons: now.reasons }];
    expect(incidentTransitions(open, [now, before])).toEqual([]);
  });

  it("two probes that agree change the reasons of a running incident, but not for new figures alone", () => {
    const stale = (n: number) => [`stale_slots: ${n} of 9 active slots have no fresh signal`];
    const open = [{ id: 7, component: "predictions", severity: "degraded" as const, reasons: stale(3) }];
    const because = (index: number, reasons: string[]) => ({ ...probe(index, "degraded"), reasons });
    const lag = ["candles_late: the newest candle is 90 minutes old"];
    expect(incidentTransitions(open, [because(1, stale(5)), because(0, stale(4))])).toEqual([]);
    expect(incidentTransitions(open, [because(1, lag), because(0, stale(3))])).toEqual([]);
    expect(incidentTransitions(open, [because(1, lag), because(0, lag)])).toEqual([
      { kind: "explain", id: 7, reasons: lag },
    ]);
  });

  it("an incident of a component has the component's own reason, not those of the service", () => {
    const own = "candles: EURUSD H1: newest candle of 2024-12-31 21:00 UTC";
    const at = (index: number): HealthProbe => ({
      ...probe(index, "degraded"),
      reasons: ["stale_slots: 3 of 9 active slots have no fresh signal", own],
      components: { predictions: "degraded", candles: "degraded" },
    });
    expect(incidentTransitions([], [at(1), at(0)])).toEqual([
      expect.objectContaining({
        component: "predictions",
        reasons: ["stale_slots: 3 of 9 active slots have no fresh signal"],
      }),
      expect.objectContaining({ component: "candles", reasons: [own] }),
    ]);
  });

  it("one missing minute between two good probes opens no incident", () => {
    expect(incidentTransitions([], [probe(2, "ok"), probe(0, "ok")])).toEqual([]);
  });
});

describe("incidents and uptime of stored probes", () => {
  it("bad probes open and escalate one incident, good ones close it, and a gap in probing is another incident", async () => {
    await see(probe(0, "ok"), probe(1, "degraded"), probe(2, "degraded"), probe(3, "down"), probe(4, "down"));
    const open = await listOpenIncidents(db());
    expect(open).toMatchObject([{ component: "predictions", severity: "down", openedAt: minute(1) }]);

    await see(probe(5, "ok"));
    expect(await listOpenIncidents(db())).toHaveLength(1);
    await see(probe(6, "ok"));
    expect(await listOpenIncidents(db())).toEqual([]);

    await see(probe(20, "ok"), probe(21, "ok"));
    const all = await listIncidents(db(), minute(0), 10);
    expect(all).toHaveLength(2);
    expect(all[0]).toMatchObject({
      component: WHOLE_SERVICE,
      severity: "down",
      openedAt: minute(7),
      closedAt: minute(20),
      reasons: [expect.stringContaining("not_running")],
    });
    expect(all.slice(1).every((incident) => incident.closedAt?.getTime() === minute(5).getTime())).toBe(true);
  });

  it("six workers that process the same bad probes leave one open incident", async () => {
    await see(probe(22, "down"));
    await insertProbe(db(), probe(23, "down"));
    await Promise.all(Array.from({ length: 6 }, () => db().transaction(trackIncidents)));
    expect(await listOpenIncidents(db())).toHaveLength(1);
  });

  it("insertProbe stores one probe per minute", async () => {
    expect(await insertProbe(db(), probe(23, "ok"))).toBe(false);
    expect(await insertProbe(db(), probe(24, "ok"))).toBe(true);
  });

  it("uptimeDays counts observed minutes per day, and missing probes as down", async () => {
    const now = new Date(minute(25).getTime() + 30_000);
    const first = await findFirstProbeMinute(db());
    expect(first).toEqual(minute(0));
    const rows = await listProbeDays(
      db(),
      new Date("2026-11-01T00:00:00Z"),
      new Date("2026-12-01T00:00:00Z"),
    );
    const days = uptimeDays(rows, WHOLE_SERVICE, first, now, 3);
    expect(days).toEqual([
      { date: new Date("2026-11-19T00:00:00Z"), observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 },
      // probes 0 to 6: two down, two degraded; minutes 7 to 9 without a probe
      { date: new Date("2026-11-20T00:00:00Z"), observedMinutes: 10, downMinutes: 5, degradedMinutes: 2 },
      // minutes 10 to 19 without a probe, 20 and 21 ok, 22 and 23 down, 24 ok
      { date: new Date("2026-11-21T00:00:00Z"), observedMinutes: 15, downMinutes: 12, degradedMinutes: 0 },
    ]);
    expect(uptimePct(days)).toBeCloseTo((100 * 8) / 25, 10);
  });
});

describe("the uptime of a component", () => {
  const row = (component: string, firstMinute: number, rows: number) => ({
    date: new Date("2026-11-20T00:00:00Z"),
    component,
    rows,
    down: 0,
    degraded: 0,
    firstAt: minute(firstMinute),
  });

  it("there is no uptime before any probe", () => {
    expect(uptimePct(uptimeDays([], WHOLE_SERVICE, null, minute(0), UPTIME_DAYS))).toBeNull();
  });

  it("uptime counts only observed time", () => {
    const date = new Date("2026-11-21T00:00:00Z");
    expect(uptimePct([{ date, observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 }])).toBeNull();
    expect(
      uptimePct([
        { date, observedMinutes: 1000, downMinutes: 10, degradedMinutes: 500 },
        { date, observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 },
      ]),
    ).toBe(99);
  });

  it("the uptime of a component ignores the time before it was added", () => {
    const rows = [row(WHOLE_SERVICE, 0, 10), row("mail", 6, 4)];
    const since = observationStart(rows, "mail", minute(0));
    expect(since).toEqual(minute(6));
    expect(uptimePct(uptimeDays(rows, "mail", since, minute(10), 2))).toBe(100);
    expect(observationStart(rows, WHOLE_SERVICE, new Date(0))).toEqual(new Date(0));
  });
});
