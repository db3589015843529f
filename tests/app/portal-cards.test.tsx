import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { accessUntil } from "@/app/portal/_components/access-end";
import { HeroCard } from "@/app/portal/_components/hero-card";
import { DoubtNote } from "@/app/portal/delivery/_components/telegram-card";
import { UTC_CLOCK } from "@/lib/market/clock";

const NOW = new Date("2026-11-27T19:00:00Z");
const NONE = { n: 0, r: 0, nWithR: 0, money: 0, nWithMoney: 0, currencies: [] };

const words = (node: React.ReactNode) =>
  renderToStaticMarkup(node)
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

it("the open result says how many positions it covers, and that its time is that of the oldest price", () => {
  const shown = words(
    <HeroCard
      source="EA"
      results={{
        today: NONE,
        open: { n: 2, r: 0.19, nWithR: 1, money: 0, nWithMoney: 0, currencies: [], nAll: 2 },
        pricesAt: new Date("2026-11-27T18:45:00Z"),
      }}
      clock={UTC_CLOCK}
      now={NOW}
    />,
  );
  expect(shown).toContain("of 1 with a known signal");
  expect(shown).toContain("oldest price 27 Nov, 18:45");
});

it("the end of access says until when it is paid, apart from the days of grace", () => {
  const expiresAt = new Date("2026-12-01T19:00:00Z");
  const paidUntil = new Date("2026-11-28T19:00:00Z");
  expect(accessUntil({ expiresAt, paidUntil: null }, UTC_CLOCK)).toBe("until 1 Dec 2026");
  expect(accessUntil({ expiresAt, paidUntil }, UTC_CLOCK)).toBe(
    "paid until 28 Nov 2026 and works until 1 Dec 2026 (days of grace)",
  );
});

it("a message in doubt says that it may have arrived, and a test message that another one can be sent", () => {
  expect(words(<DoubtNote title="Telegram" />)).toBe("No clear answer from Telegram; it may have arrived.");
  expect(words(<DoubtNote title="Discord" isTest />)).toMatch(/arrived\. Send another test\.$/);
});
