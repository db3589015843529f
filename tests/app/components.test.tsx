import { PathnameContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { AppShell } from "@/app/_components/app-shell";
import { Button, LinkButton } from "@/app/_components/button";
import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { DataTable } from "@/app/_components/data-table";
import { DirectionMark } from "@/app/_components/direction-mark";
import { ErrorState } from "@/app/_components/error-state";
import { TextInput } from "@/app/_components/form/text-input";
import { MoneyText } from "@/app/_components/money-text";
import { isCurrentPage } from "@/app/_components/nav-link";
import { Notice } from "@/app/_components/notice";
import { Pagination } from "@/app/_components/pagination";
import { ProbabilityBar } from "@/app/_components/probability-bar";
import { SecretOnce } from "@/app/_components/secret-once";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { parseTheme, themeAttribute } from "@/app/_components/theme";
import { RelativeTime } from "@/app/_components/timestamp";
import { Gallery } from "@/app/_gallery/gallery";

// These components need no installation.
vi.mock("@/lib/runtime/brand", () => ({ brand: () => ({ name: "Example Signals", logoPath: null }) }));

const html = (element: ReactElement) => renderToStaticMarkup(element);
const words = (element: ReactElement) =>
  html(element)
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

describe("meaning beyond colour", () => {
  it.each([
    ["BUY", "BUY"],
    ["SELL", "SELL"],
    ["NO_TRADE", "NO TRADE"],
  ] as const)("%s has an icon and the words %s", (direction, word) => {
    const markup = html(<DirectionMark direction={direction} />);
    expect(markup).toContain("<svg");
    expect(words(<DirectionMark direction={direction} />)).toBe(word);
  });

  it("the three directions have different icons", () => {
    const icons = (["BUY", "SELL", "NO_TRADE"] as const).map((direction) =>
      html(<DirectionMark direction={direction} />)
        .match(/<path d="[^"]+"/g)
        ?.join(),
    );
    expect(new Set(icons).size).toBe(3);
  });

  it("a loss has its sign and mark, a zero has neither, and a missing value is a dash", () => {
    expect(words(<MoneyText value={-12.5} unit="EUR" />)).toBe("−12.50 EUR");
    expect(html(<MoneyText value={-12.5} />)).toContain("<path");
    expect(html(<MoneyText value={0} />)).not.toContain("<path");
    expect(words(<MoneyText value={null} />)).toBe("–");
  });

  it("a state has an icon and a word", () => {
    expect(words(<StatusPill state="degraded" />)).toBe("Degraded");
    expect(html(<StatusPill state="degraded" />)).toContain("<svg");
  });

  it("a confidence is announced as a figure", () => {
    expect(html(<ConfidenceBar value={0.58} />)).toContain('aria-label="Confidence 58 %"');
  });

  it("the probabilities are written at their bar", () => {
    expect(words(<ProbabilityBar buy={0.5} no={0.3} sell={0.2} />)).toBe("Buy 50 % No trade 30 % Sell 20 %");
  });
});

describe("forms", () => {
  it("an error is linked to its control by id", () => {
    const markup = html(
      <TextInput label="E-mail" name="email" hint="We answer there." error="Not an address." />,
    );
    const describedBy = markup.match(/aria-describedby="([^"]+)"/)?.[1]?.split(" ") ?? [];
    expect(describedBy).toHaveLength(2);
    for (const id of describedBy) expect(markup).toContain(`id="${id}"`);
    expect(markup).toContain('aria-invalid="true"');
    expect(markup).toMatch(/<label for="([^"]+)".*<input[^>]* id="\1"/s);
  });

  it("an error below a control is a sentence", () => {
    const shown = (error: string) => words(<TextInput label="Address" name="url" error={error} />);
    expect(shown("must begin with https://")).toBe("Address Must begin with https://.");
    expect(shown("This is not an e-mail address.")).toBe("Address This is not an e-mail address.");
  });

  it("a disabled button is linked to the explanation why it is disabled", () => {
    const markup = html(<Button disabledReason="No key yet.">Rotate</Button>);
    expect(markup).toContain("disabled");
    const id = markup.match(/aria-describedby="([^"]+)"/)?.[1];
    expect(markup).toContain(`id="${id}"`);
    expect(words(<Button disabledReason="No key yet.">Rotate</Button>)).toBe("Rotate No key yet.");
  });

  it("a disabled link has no target", () => {
    const markup = html(
      <LinkButton href="/portal" disabledReason="Sign in first.">
        Open
      </LinkButton>,
    );
    expect(markup).not.toContain("href");
    expect(markup).toContain('aria-disabled="true"');
  });

  it("a dialog with a typed word cannot be confirmed before it is typed", () => {
    const markup = html(
      <ConfirmDialog
        trigger="Revoke"
        title="Revoke this key?"
        consequence="The client stops at once."
        confirmLabel="Revoke now"
        typedWord="REVOKE"
        action="/admin/keys/7"
        fields={{ token: "t" }}
      />,
    );
    expect(markup).toMatch(/<input(?=[^>]* required="")(?=[^>]* pattern="\\s\*REVOKE\\s\*")/);
    expect(markup).toContain("The client stops at once.");
    expect(markup).toContain('<input type="hidden" name="token" value="t"/>');
    expect(markup).toMatch(/<form[^>]* action="\/admin\/keys\/7" method="post"/);
  });

  it("a dialog is opened and closed by command buttons, without a script", () => {
    const markup = html(
      <ConfirmDialog trigger="Revoke" title="Revoke?" consequence="Stops." confirmLabel="Now" action="/x" />,
    );
    const id = markup.match(/<dialog id="([^"]+)"/)?.[1];
    expect(markup).toMatch(new RegExp(`command="show-modal" commandfor="${id}"`));
    expect(markup).toMatch(new RegExp(`command="close" commandfor="${id}"`));
  });

  it("the link after a one-time secret is hidden until a box is checked", () => {
    const markup = html(<SecretOnce name="API key" secret="s3cret" continueHref="/portal" />);
    expect(
      words(<SecretOnce name="API key" secret="s3cret" continueHref="/portal" />).match(/s3cret/g),
    ).toHaveLength(1);
    expect(markup).toMatch(/hidden group-has-checked[^>]*><a href="\/portal"/);
    expect(markup).toContain('role="status"');
  });
});

describe("tables", () => {
  const table = (
    <DataTable
      caption="Slots"
      rows={[{ slot: "EURUSD H1", rr: 1.6 }]}
      rowKey={(row) => row.slot}
      columns={[
        {
          key: "slot",
          header: "Slot",
          primary: true,
          sortHref: "?sort=slot",
          sorted: "descending",
          cell: (row) => row.slot,
        },
        {
          key: "rr",
          header: "Reward",
          unit: "R",
          align: "right",
          sortHref: "?sort=rr",
          cell: (row) => row.rr,
        },
        { key: "n", header: "n", cell: () => 3 },
      ]}
    />
  );

  it("the sorted column has aria-sort descending, and the other sortable column none", () => {
    const markup = html(table);
    expect(markup.match(/aria-sort="[a-z]+"/g)).toEqual(['aria-sort="descending"', 'aria-sort="none"']);
  });

  it("each cell carries its column's name for the phone layout", () => {
    expect(html(table)).toContain('data-label="Reward, R"');
  });

  it("the elements of a table have explicit ARIA roles", () => {
    const markup = html(table);
    for (const role of ["table", "rowgroup", "row", "columnheader", "rowheader", "cell"]) {
      expect(markup).toContain(`role="${role}"`);
    }
  });

  it("the empty state replaces a table without rows", () => {
    const markup = html(
      <DataTable caption="Slots" rows={[]} rowKey={() => 0} columns={[]} empty={<p>Nothing yet.</p>} />,
    );
    expect(markup).toBe("<p>Nothing yet.</p>");
  });

  it("the first page has no previous link and the last no next link", () => {
    const page = (number: number) =>
      words(<Pagination page={number} pageSize={10} total={25} href={(at) => `?page=${at}`} noun="signal" />);
    expect(page(1)).toBe("1–10 of 25 signals Next Last");
    expect(page(3)).toBe("21–25 of 25 signals First Previous");
    expect(words(<Pagination page={1} pageSize={10} total={1} href={() => "?"} noun="signal" />)).toBe(
      "1 signal",
    );
  });
});

describe("figures and states", () => {
  it("a headline figure shows its sample, and its formula behind a named button", () => {
    const markup = html(
      <StatRow>
        <Stat label="Win rate" value="54.2" unit="%" n={1180} hint="Wins over wins and losses." />
      </StatRow>,
    );
    expect(markup).toContain("n = 1,180");
    const target = markup.match(/popoverTarget="([^"]+)"/i)?.[1];
    expect(markup).toContain(`id="${target}"`);
    expect(markup).toContain('aria-label="About Win rate"');
  });

  it("a relative time has the exact one in its attributes", () => {
    const markup = html(
      <RelativeTime at={new Date("2026-11-21T07:00:00Z")} now={new Date("2026-11-21T07:42:00Z")} />,
    );
    expect(markup).toContain('dateTime="2026-11-21T07:00:00Z"');
    expect(markup).toContain('title="21 Nov 2026, 07:00 UTC"');
    expect(markup).toContain("42 min ago");
  });

  it("a failure is announced with its support id", () => {
    const markup = html(
      <ErrorState title="No answer" requestId="01JD3M">
        Try again in a minute.
      </ErrorState>,
    );
    expect(markup).toContain('role="alert"');
    expect(markup).toContain("01JD3M");
  });

  it("a notice is announced to screen readers only with the property announce", () => {
    expect(html(<Notice title="Plan">Two slots are hidden.</Notice>)).not.toContain("role=");
    expect(html(<Notice tone="danger" title="Failed" announce />)).toContain('role="alert"');
  });
});

describe("navigation", () => {
  it.each([
    ["/portal", "/portal", true, true],
    ["/portal/signals", "/portal", true, false],
    ["/portal/signals/EURUSD", "/portal/signals", false, true],
    ["/portal/signals-old", "/portal/signals", false, false],
  ])("on %s the entry %s (exact: %s) is current: %s", (pathname, href, exact, current) => {
    expect(isCurrentPage(pathname, href, exact)).toBe(current);
  });

  it("the layout marks the current page and starts with a skip link", () => {
    const markup = html(
      <PathnameContext.Provider value="/portal/signals">
        <AppShell
          area="Portal"
          logo={null}
          homeHref="/portal"
          account={null}
          entries={[
            { href: "/portal", label: "Overview", icon: null, exact: true },
            { href: "/portal/signals", label: "Signals", icon: null },
          ]}
        >
          page
        </AppShell>
      </PathnameContext.Provider>,
    );
    const current = [...markup.matchAll(/<a[^>]*aria-current="page"[^>]*>/g)].map((match) => match[0]);
    expect(current.length).toBeGreaterThan(0);
    expect(current.every((link) => link.includes('href="/portal/signals"'))).toBe(true);
    expect(markup.indexOf('href="#main"')).toBeLessThan(markup.indexOf('href="/portal"'));
    expect(markup).toContain('id="main"');
  });
});

describe("the theme", () => {
  it("only a known theme is read from the cookie", () => {
    expect(parseTheme("dark")).toBe("dark");
    expect(parseTheme('"><script>')).toBe("system");
    expect(parseTheme(undefined)).toBe("system");
    expect(themeAttribute("system")).toBeUndefined();
  });
});

it("no component of the gallery uses an inline style or script, so the content security policy can forbid both", () => {
  const markup = html(<Gallery />);
  expect(markup.length).toBeGreaterThan(50_000);
  expect(markup).not.toMatch(/\sstyle="/);
  expect(markup).not.toMatch(/<(script|style)\b/);
  expect(markup).not.toMatch(/\son[a-z]+="/);
});
