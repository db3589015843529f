import { expect, it } from "vitest";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { briefFailures } from "@/lib/health/brief-failures";

const day = (date: string, degradedMinutes = 0, downMinutes = 0) => ({
  date: new Date(`${date}T00:00:00Z`),
  observedMinutes: 1_440,
  degradedMinutes,
  downMinutes,
});
const NOW = new Date("2026-11-21T12:00:00Z");

it("brief failures are the days with trouble that no incident explains, newest first", () => {
  const components = [
    {
      component: "database",
      name: "Database",
      days: [day("2026-11-18", 1), day("2026-11-19"), day("2026-11-20", 0, 2)],
    },
    // degraded because of the database, and without an incident on the 18th
    {
      component: WHOLE_SERVICE,
      name: "Signal delivery",
      days: [day("2026-11-18", 1), day("2026-11-20", 2)],
    },
    { component: "mail", name: "E-mail", days: [day("2026-11-20", 3), day("2026-11-21", 4)] },
  ];
  const incidents = [
    // opened the evening before, so it explains the 20th too
    {
      component: "database",
      openedAt: new Date("2026-11-19T23:50:00Z"),
      closedAt: new Date("2026-11-20T00:10:00Z"),
    },
    // still open
    { component: "mail", openedAt: new Date("2026-11-21T08:00:00Z"), closedAt: null },
  ];
  expect(briefFailures(components, incidents, NOW)).toEqual([
    { name: "E-mail", date: new Date("2026-11-20T00:00:00Z"), downMinutes: 0, degradedMinutes: 3 },
    { name: "Database", date: new Date("2026-11-18T00:00:00Z"), downMinutes: 0, degradedMinutes: 1 },
    { name: "Signal delivery", date: new Date("2026-11-18T00:00:00Z"), downMinutes: 0, degradedMinutes: 1 },
  ]);
});
