import { describe, expect, it } from "vitest";
import { attentionItems, type OverviewFacts } from "@/lib/admin/attention";

const now = new Date("2026-11-21T09:00:00Z");
const quiet: OverviewFacts = {
  now,
  schema: { state: "current" },
  otherReleases: [],
  health: { status: "ok", reasons: [] },
  troubled: [],
  staleSlots: [],
  mail: { pending: 1, dead: 0, oldestPendingAt: new Date("2026-11-21T08:59:58Z"), transport: "smtp" },
  payments: { flagged: 0 },
  unreadable: null,
  proposedCredits: 0,
  clients: { total: 10, online: 8, delayed: 1, offline: 1, never: 0, expiringSoon: 2 },
  jobs: [{ job: "probe", lastErrorCode: null }],
  lastProbeAt: new Date("2026-11-21T08:59:00Z"),
  errors10min: new Map([["key_invalid", 3]]),
  models: { drifting: 0 },
  features: { broken: 0 },
  feeds: [{ name: "oanda", trouble: null, needsPerson: false }],
  oddCandles: 0,
  isFirstSignalSimulated: null,
  guessedSymbols: [],
  pauses: [],
  simulated: false,
  backup: { hours: 3, isLate: false },
  forwardedIgnoredAt: new Date("2026-11-20T09:00:00Z"),
};

const titles = (facts: Partial<OverviewFacts>) =>
  attentionItems({ ...quiet, ...facts }).map((item) => item.title);

describe("the attention list", () => {
  it("the attention list is empty for a healthy service", () => {
    expect(attentionItems(quiet)).toEqual([]);
  });

  it("the attention list names a stale slot with its age while the service is healthy", () => {
    const [item] = attentionItems({
      ...quiet,
      staleSlots: [{ symbol: "EURUSD", timeframe: "H1", ageMinutes: 92.4 }],
    });
    expect(item?.title).toBe("1 slot without a fresh signal");
    expect(item?.text).toContain("EURUSD H1 (92 open-market min)");
    expect(item?.href).toBe("/admin/signals");
  });

  it("the attention list has a component with old candles while the service is healthy", () => {
    const [item] = attentionItems({
      ...quiet,
      troubled: [
        {
          component: "candles",
          name: "Market data",
          status: "degraded",
          reason: "EURUSD H1: newest candle of 2024-12-31 21:00 UTC",
        },
      ],
    });
    expect(item?.title).toBe("Market data: degraded");
    expect(item?.text).toBe("EURUSD H1: newest candle of 2024-12-31 21:00 UTC.");
  });

  it("the attention list has a degraded service with its reason and code", () => {
    const [item] = attentionItems({
      ...quiet,
      health: {
        status: "degraded",
        reasons: [{ code: "stale_slots", text: "3 of 15 active slots have no fresh signal" }],
      },
    });
    expect(item).toMatchObject({ tone: "warn", title: "The service is degraded" });
    expect(item?.text).toContain("3 of 15 active slots have no fresh signal. Subscribers'");
  });

  it("the attention list reports X-Forwarded-For from an unconfigured proxy", () => {
    const [item] = attentionItems({ ...quiet, forwardedIgnoredAt: new Date("2026-11-21T08:50:00Z") });
    expect(item).toMatchObject({ tone: "danger", title: "X-Forwarded-For is ignored" });
    expect(item?.text).toContain("TRUST_PROXY_HOPS");
  });

  it("the attention list names another release whose processes use the same database", () => {
    const [item] = attentionItems({ ...quiet, otherReleases: ["0.9.0", null] });
    expect(item).toMatchObject({ tone: "warn", title: "Another release is running too" });
    expect(item?.text).toContain("Processes of 0.9.0, an older release use");
  });

  it("the attention list reports a late backup, a missing one, and backups that are off", () => {
    const of = (hours: number | null) => attentionItems({ ...quiet, backup: { hours, isLate: true } })[0];
    expect(of(49.5)).toMatchObject({ tone: "danger", title: "The backup is late" });
    expect(of(49.5)?.text).toContain("49 h old");
    expect(of(null)?.text).toContain("No backup was taken yet");
    expect(titles({ backup: null })).toEqual(["Backups are off"]);
    expect(titles({ backup: null, simulated: true })).toEqual([]);
  });

  it("the attention list reports a database of the simulated market under a real feed, and the reverse", () => {
    const mixed = ["Simulated and real signals are mixed"];
    expect(titles({ isFirstSignalSimulated: true, simulated: false })).toEqual(mixed);
    expect(titles({ isFirstSignalSimulated: false, simulated: true })).toEqual(mixed);
    expect(titles({ isFirstSignalSimulated: true, simulated: true })).toEqual([]);
    expect(titles({ isFirstSignalSimulated: false, simulated: false })).toEqual([]);
  });

  it("the attention list reports a database schema that is newer or older than the release's", () => {
    expect(titles({ schema: { state: "newer" } })).toEqual(["The database is newer than this release"]);
    expect(titles({ schema: { state: "older" } })).toEqual(["This release waits for a restart"]);
  });

  it("the attention list says that going back to an older release needs no restart", () => {
    const [item] = attentionItems({ ...quiet, schema: { state: "newer" } });
    expect(item?.text).toContain("unless you went back on purpose");
  });

  it("the attention list links to the downtime credits that can still be declined", () => {
    expect(attentionItems({ ...quiet, proposedCredits: 2 })[0]).toMatchObject({
      tone: "warn",
      title: "2 downtime credits proposed",
      href: "/admin/payments/credits?state=proposed",
    });
  });

  it("the attention list names a broken feed with its error and whether an administrator must act", () => {
    const of = (trouble: string, needsPerson: boolean) =>
      attentionItems({ ...quiet, feeds: [{ name: "oanda", trouble, needsPerson }] })[0];
    expect(of("has not answered for 40 min", false)).toMatchObject({
      tone: "warn",
      title: "The feed oanda does not work",
      text: "It has not answered for 40 min. It is retried automatically.",
      href: "/admin/feeds",
    });
    expect(of("is refused: The token is not valid.", true)?.text).toBe(
      "It is refused: The token is not valid. It continues when you correct its configuration.",
    );
  });

  it("the attention list has urgent items first", () => {
    const items = attentionItems({
      ...quiet,
      payments: { flagged: 2 },
      mail: { ...quiet.mail, dead: 1 },
    });
    expect(items.map((item) => item.tone)).toEqual(["danger", "warn"]);
    expect(items[0]?.title).toBe("1 mail could not be delivered");
  });

  it.each<[string, Partial<OverviewFacts>]>([
    ["The background worker is silent", { lastProbeAt: new Date("2026-11-21T08:55:00Z") }],
    ["Mail is waiting", { mail: { ...quiet.mail, oldestPendingAt: new Date("2026-11-21T08:40:00Z") } }],
    ["Mail is not being sent", { mail: { ...quiet.mail, transport: "outbox" } }],
    ["Payment deliveries are refused", { errors10min: new Map([["signature_invalid", 5]]) }],
    [
      "Someone is guessing the administrator secret",
      { errors10min: new Map([["admin_secret_invalid", 30]]) },
    ],
    ["The job “outcomes” failed", { jobs: [{ job: "outcomes", lastErrorCode: "TypeError" }] }],
    ["2 slots drifting", { models: { drifting: 2 } }],
    ["1 feature far from training", { features: { broken: 1 } }],
    ["Most trading clients are offline", { clients: { ...quiet.clients, online: 1, offline: 8 } }],
  ])("the attention list has only the item: %s", (title, facts) => {
    expect(titles(facts)).toEqual([title]);
  });

  it("the attention list says in words what a failed job delays and that it is repeated", () => {
    const [item] = attentionItems({
      ...quiet,
      jobs: [{ job: "training", lastErrorCode: "database_unavailable" }],
    });
    expect(item?.text).toBe(
      "The database did not answer its last run in time. It runs again automatically. Until then no model is trained; signals continue with the models in use.",
    );
  });

  it("the attention list does not report requests without an administrator secret as guessing", () => {
    expect(titles({ errors10min: new Map([["admin_secret_missing", 500]]) })).toEqual([]);
  });

  it("the attention list names the symbols whose calendar must be chosen", () => {
    expect(titles({ guessedSymbols: ["DE40"] })).toEqual(["Trading hours unknown: DE40"]);
    expect(titles({ guessedSymbols: ["AAPL", "DE40"] })).toEqual(["Trading hours unknown: AAPL, DE40"]);
  });

  it("the attention list does not report the local outbox with a simulated market", () => {
    expect(titles({ simulated: true, mail: { ...quiet.mail, transport: "outbox" } })).toEqual([]);
  });
});
