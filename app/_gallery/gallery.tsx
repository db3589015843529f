import { Activity, Inbox, KeyRound, LayoutDashboard, List, Plug } from "lucide-react";
import { AppShell } from "@/app/_components/app-shell";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { BarChart } from "@/app/_components/chart/bar-chart";
import { CalendarHeatmap } from "@/app/_components/chart/calendar-heatmap";
import { CandleChart } from "@/app/_components/chart/candle-chart";
import { Histogram } from "@/app/_components/chart/histogram";
import { LineChart } from "@/app/_components/chart/line-chart";
import { MonthTable } from "@/app/_components/chart/month-table";
import { ReliabilityDiagram } from "@/app/_components/chart/reliability-diagram";
import { Sparkline } from "@/app/_components/chart/sparkline";
import { UptimeBars } from "@/app/_components/chart/uptime-bars";
import { CodeBlock } from "@/app/_components/code-block";
import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { DataTable } from "@/app/_components/data-table";
import { DirectionMark } from "@/app/_components/direction-mark";
import { EmptyState } from "@/app/_components/empty-state";
import { ErrorState } from "@/app/_components/error-state";
import { formatNumber } from "@/app/_components/figures";
import { Checkbox } from "@/app/_components/form/checkbox";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { Logo } from "@/app/_components/logo";
import { MoneyText } from "@/app/_components/money-text";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Pagination } from "@/app/_components/pagination";
import { ProbabilityBar } from "@/app/_components/probability-bar";
import { SecretOnce } from "@/app/_components/secret-once";
import { SimulatedMark, SimulatedNotice } from "@/app/_components/simulated-mark";
import { Skeleton, SkeletonStats } from "@/app/_components/skeleton";
import { StaleNote } from "@/app/_components/stale-note";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { Tabs } from "@/app/_components/tabs";
import { ThemeSwitch } from "@/app/_components/theme-switch";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import * as sample from "./sample-data";

const entries = [
  { href: "/gallery", label: "Overview", icon: <LayoutDashboard aria-hidden="true" />, exact: true },
  { href: "/gallery/signals", label: "Signals", icon: <Activity aria-hidden="true" /> },
  { href: "/gallery/executions", label: "Executions", icon: <List aria-hidden="true" /> },
  { href: "/gallery/key", label: "Key", icon: <KeyRound aria-hidden="true" /> },
  { href: "/gallery/setup", label: "Setup", icon: <Plug aria-hidden="true" /> },
  { href: "/gallery/mail", label: "Mail", icon: <Inbox aria-hidden="true" /> },
];

export function Gallery() {
  return (
    <AppShell
      area="Gallery"
      logo={<Logo />}
      homeHref="/gallery"
      entries={entries}
      account={
        <div className="flex items-center justify-between gap-3 text-sm">
          <span className="truncate text-muted">ada@example.com</span>
          <ThemeSwitch theme="system" />
        </div>
      }
      banner={<SimulatedNotice />}
    >
      <PageHeader
        eyebrow={<SimulatedMark />}
        title="Overview"
        lead="Every shared component in its states, with invented figures."
        actions={
          <>
            <Button>Export CSV</Button>
            <LinkButton href="#tables" variant="primary">
              Connect your EA
            </LinkButton>
          </>
        }
      />
      <Tabs
        label="Views"
        current="/gallery"
        tabs={[
          { href: "/gallery", label: "My EA", count: 128 },
          { href: "/gallery?view=model", label: "Models" },
          { href: "/gallery?view=calibration", label: "Calibration" },
        ]}
      />
      <div className="space-y-6">
        <StatRow label="Results">
          <Stat
            label="Win rate"
            value="54.2"
            unit="%"
            n={118}
            hint="100 x wins / (wins + losses). A result of exactly 0 is neither."
            note="95 %: 45.2 to 62.9"
          />
          <Stat label="Profit factor" value="1.31" n={118} hint="Gross profit / gross loss." />
          <Stat
            label="Net P/L"
            value={<MoneyText value={412.6} />}
            unit="as reported"
            note="sum of closed positions"
          />
          <Stat label="Max drawdown" value="188.20" note="in money, closed positions" />
        </StatRow>
        <div className="grid gap-6 xl:grid-cols-2">
          <Card
            title="Cumulative closed P/L"
            actions={<Badge>90 days</Badge>}
            footer="P/L is what the EA reported, usually without swap and commission."
          >
            <LineChart
              name="Cumulative closed P/L"
              unit="account currency"
              points={sample.equity}
              notes="n = 118 closed, UTC"
              mark={{ at: new Date("2026-09-20T00:00:00Z"), label: "live reports begin" }}
            />
          </Card>
          <Card title="EURUSD H1">
            <CandleChart
              symbol="EURUSD"
              timeframe="H1"
              timeframeMinutes={60}
              candles={sample.candles}
              signals={sample.candleSignals}
              digits={5}
            />
          </Card>
          <Card title="Calibration">
            <ReliabilityDiagram model="EURUSD H1 v3" bins={sample.reliability} ece={0.034} />
          </Card>
          <Card title="November">
            <CalendarHeatmap month={sample.NOW} days={sample.calendarDays} unit="EUR" />
          </Card>
          <Card title="By symbol">
            <BarChart
              name="P/L"
              unit="EUR"
              signed
              summary="P/L by symbol: XAUUSD earned most, USDJPY lost most."
              bars={[
                { label: "EURUSD", value: 120.4, n: 44 },
                { label: "GBPUSD", value: 61.3, n: 31 },
                { label: "USDJPY", value: -96.1, n: 25 },
                { label: "XAUUSD", value: 327, n: 18 },
                { label: "BTCUSDT", value: null },
              ]}
            />
          </Card>
          <Card title="Distribution">
            <Histogram
              name="P/L per position"
              unit="EUR"
              aroundZero
              bins={[-60, -40, -20, 0, 20, 40, 60, 80].map((lo, index) => ({
                lo,
                hi: lo + 20,
                n: [4, 9, 31, 38, 22, 9, 4, 1][index] ?? 0,
              }))}
            />
          </Card>
        </div>
        <Card title="Months" flush>
          <MonthTable
            caption="Closed P/L by month"
            unit="EUR"
            years={[
              {
                year: 2026,
                months: [null, null, 41, -22, 130, 12, -64, 88, 61, 94, 72.6, null],
                hrefs: [],
                total: 412.6,
              },
              {
                year: 2025,
                months: [null, null, null, null, null, null, null, null, null, 12, -8, 30],
                hrefs: [],
                total: 34,
              },
            ]}
          />
        </Card>
        <div id="tables">
          <Card
            title="Signals"
            lead="The newest signal of each slot."
            flush
            actions={<Badge tone="accent">pro</Badge>}
            footer={
              <StaleNote
                what="USDJPY H1"
                at={new Date("2026-11-20T09:00:00Z")}
                now={sample.NOW}
                expectedMinutes={75}
              />
            }
          >
            <div className="border-b px-4 py-4 sm:px-6">
              <FilterBar action="/gallery" resetHref="/gallery">
                <Select
                  label="Symbol"
                  name="symbol"
                  options={[
                    { value: "", label: "All symbols" },
                    { value: "EURUSD", label: "EURUSD" },
                  ]}
                />
                <Select
                  label="Direction"
                  name="direction"
                  options={[
                    { value: "", label: "Any" },
                    { value: "BUY", label: "BUY" },
                  ]}
                />
                <TextInput
                  label="Confidence from, %"
                  name="min_confidence"
                  inputMode="decimal"
                  placeholder="60"
                />
              </FilterBar>
            </div>
            <DataTable
              caption="Newest signal of each slot"
              rows={sample.slots}
              rowKey={(row) => row.slot}
              columns={[
                {
                  key: "slot",
                  header: "Slot",
                  primary: true,
                  sortHref: "?sort=slot",
                  sorted: "ascending",
                  cell: (row) => row.slot,
                },
                {
                  key: "direction",
                  header: "Direction",
                  cell: (row) => <DirectionMark direction={row.direction} />,
                },
                {
                  key: "confidence",
                  header: "Confidence",
                  sortHref: "?sort=confidence",
                  cell: (row) => <ConfidenceBar value={row.confidence} />,
                },
                { key: "regime", header: "Regime", cell: (row) => <Badge>{row.regime}</Badge> },
                {
                  key: "price",
                  header: "Close",
                  align: "right",
                  cell: (row) => formatNumber(row.price, row.digits),
                },
                { key: "rr", header: "Reward/risk", align: "right", cell: (row) => formatNumber(row.rr, 2) },
                {
                  key: "trend",
                  header: "History",
                  cell: (row) => (
                    <Sparkline
                      values={sample.equity.slice(60).map((point) => point.value)}
                      label={`${row.slot}, confidence of the last 30 signals`}
                    />
                  ),
                },
                {
                  key: "state",
                  header: "State",
                  cell: (row) => (
                    <StatusPill state={row.state} label={row.state === "ok" ? "Fresh" : undefined} />
                  ),
                },
              ]}
              footer={
                <Pagination page={2} pageSize={4} total={28} href={(page) => `?page=${page}`} noun="slot" />
              }
            />
          </Card>
        </div>
        <Card
          title="One slot"
          lead={
            <>
              EURUSD H1, closed <RelativeTime at={new Date("2026-11-20T14:00:00Z")} now={sample.NOW} /> (
              <Timestamp at={new Date("2026-11-20T14:00:00Z")} />)
            </>
          }
        >
          <div className="flex flex-wrap items-center gap-10">
            <DirectionMark direction="BUY" size="large" />
            <DirectionMark direction="SELL" size="large" />
            <DirectionMark direction="NO_TRADE" size="large" />
            <div className="w-72 max-w-full">
              <ProbabilityBar buy={0.58} no={0.27} sell={0.15} />
            </div>
          </div>
        </Card>
        <Card title="Uptime">
          <UptimeBars component="API" days={sample.uptimeDays} />
        </Card>
        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Your new key">
            <SecretOnce
              name="API key"
              secret="3f2a7c1e-0d5b-4c7e-9a63-5be2f0d8c91b"
              continueHref="#"
              continueLabel="Connect your EA"
            />
          </Card>
          <Card title="Forms">
            <form className="space-y-5">
              <TextInput
                label="E-mail"
                name="email"
                inputMode="email"
                autoCapitalize="none"
                error="This is not an e-mail address."
                defaultValue="ada@"
              />
              <TextInput label="Note" name="note" hint="Only you see this." />
              <Checkbox label="Include NO TRADE" name="include" hint="They are most of the signals." />
              <div className="flex flex-wrap gap-2">
                <Button variant="primary" type="submit">
                  Save
                </Button>
                <Button variant="secondary">Cancel</Button>
                <Button variant="quiet">Skip</Button>
              </div>
              <Button disabledReason="Only an owner can rotate this key.">Rotate</Button>
            </form>
          </Card>
          <Card title="Notices">
            <div className="space-y-3">
              <Notice title="Two slots are filtered">
                Your plan covers EURUSD, GBPUSD and XAUUSD on H1 and H4.
              </Notice>
              <Notice tone="done" title="Your EA is connected">
                First call 12 seconds ago.
              </Notice>
              <Notice tone="warn" title="EA silent for 42 min">
                In MT5 open Tools, Options, Expert Advisors.
              </Notice>
              <Notice tone="danger" title="This key was revoked">
                Signals are no longer delivered.
              </Notice>
              <div className="flex flex-wrap gap-x-5 gap-y-2">
                <StatusPill state="ok" />
                <StatusPill state="degraded" />
                <StatusPill state="down" />
                <StatusPill state="online" />
                <StatusPill state="delayed" />
                <StatusPill state="offline" />
                <StatusPill state="never" />
                <StatusPill state="insufficient" />
              </div>
              <ConfirmDialog
                trigger="Rotate key"
                title="Rotate your API key?"
                consequence="The present key stops at once. Your EA stops until you paste the new key into InpApiKey."
                confirmLabel="Rotate now"
                typedWord="ROTATE"
                action="/gallery"
              />
            </div>
          </Card>
          <Card title="Waiting">
            <SkeletonStats count={2} />
            <div className="mt-5">
              <Skeleton />
            </div>
          </Card>
          <Card title="Nothing yet" flush>
            <EmptyState
              icon={Plug}
              title="No position reported yet"
              actions={<LinkButton href="#">Set up your EA</LinkButton>}
            >
              When your EA opens its first position, it appears here within a second.
            </EmptyState>
          </Card>
          <Card title="Failed" flush>
            <ErrorState
              title="The executions could not be read"
              requestId="01JD3M7Q8V"
              actions={<Button>Try again</Button>}
            >
              The database did not answer. Nothing is lost; try again in a minute.
            </ErrorState>
          </Card>
        </div>
        <CodeBlock
          name="curl"
          code={'curl -s "$BASE_URL/api/scan?min_confidence=0.5" \\\n  -H "X-API-Key: $API_KEY"'}
        />
      </div>
    </AppShell>
  );
}
