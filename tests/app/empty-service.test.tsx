import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Plans } from "@/app/(site)/_landing/plans";
import { Banner } from "@/app/(site)/status/_parts/banner";
import { assessSlots } from "@/lib/market/assess-slots";

describe("a new installation", () => {
  const offer = (listsTelegram: boolean, contact: string | null = null) =>
    renderToStaticMarkup(
      <Plans
        shopUrl={null}
        simulated={false}
        listsTelegram={listsTelegram}
        record={null}
        contact={contact}
      />,
    );

  it("a new installation offers Telegram messages only with a bot, and Discord messages always", () => {
    expect(offer(true)).toContain("Telegram and Discord messages");
    expect(offer(false)).not.toContain("Telegram and");
    expect(offer(false)).toContain("Discord messages");
    expect(offer(false)).toContain("Telegram is not set up here yet");
    expect(offer(false)).toContain("requests per minute");
  });

  it("a new installation links the operator's address next to the plans if there is one", () => {
    expect(offer(false, "help@a.test")).toContain('href="mailto:help@a.test"');
    expect(offer(false)).toContain("To buy a plan, contact the operator.");
    expect(offer(false)).not.toContain("<a ");
  });

  it("a new installation with candles but without a signal is not shown as down", () => {
    const slot = {
      symbol: "EURUSD",
      timeframe: "H1",
      calendar: "fx",
      modelV: "baseline-2",
      lastCandleTs: new Date("2024-12-31T21:00:00Z"),
      lastSignalTs: null,
    } as const;
    const health = assessSlots([slot], new Date("2026-11-25T10:00:00Z"));
    const text = renderToStaticMarkup(<Banner health={health} troubled={[]} posted={[]} />);
    expect(text).toContain("No signals at the moment.");
    expect(text).toContain("The active slot waits for its first signal.");
    expect(text).not.toContain("down");
  });
});
