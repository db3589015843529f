import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { FormVersionField } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listCalendarNames } from "@/db/queries/calendars";
import { listSymbolSettings, type SymbolSettings } from "@/db/queries/symbols";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Symbols" };

const SAVE = "symbol.save";

/** The settings of each symbol, and the form for one of them. */
export default async function Symbols({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.symbols());
  const { edit } = await searchParams;
  const [flash, symbols, calendars] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listSymbolSettings(db()),
    listCalendarNames(db()),
  ]);
  const form = formState(flash, SAVE);
  const edited = symbols.find(({ symbol }) => symbol === (form.values.symbol ?? edit));
  const values = form.returned ? form.values : valuesOf(edited);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  return (
    <>
      <SettingsHeader
        title="Symbols"
        lead="Trading hours, decimals, round-trip costs and broker names of each symbol."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <ActionForm needs="symbol.save" action={adminPaths.saveSymbol()} className="space-y-6">
          <PreviewNotice flash={flash} form={SAVE} />
          {edited && <FormVersionField form={form} stored={edited} />}
          <Card
            title={edited ? `Change ${edited.symbol}` : "Add a symbol"}
            lead={
              edited?.isGuessed
                ? "This symbol was added when its first data arrived. Choose its calendar: until then FX hours apply."
                : undefined
            }
          >
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
              <TextInput
                {...field("symbol")}
                label="Symbol"
                required
                maxLength={24}
                readOnly={edited !== undefined}
                autoCapitalize="characters"
                spellCheck={false}
              />
              <Select
                {...field("calendar")}
                label="Trading calendar"
                required
                options={[
                  { value: "", label: "choose", disabled: true },
                  ...calendars.map(({ name, title }) => ({ value: name, label: `${title} (${name})` })),
                ]}
                hint="Hours and holidays are on the page Calendars."
              />
              <TextInput {...field("digits")} label="Decimals of a price" required inputMode="numeric" />
              <Select
                {...field("cost_kind")}
                label="Unit of the round-trip cost"
                options={[
                  { value: "absolute", label: "an amount of price" },
                  { value: "fraction", label: "a part of the entry price" },
                ]}
              />
              <TextInput
                {...field("cost_value")}
                label="Round-trip cost"
                required
                inputMode="decimal"
                hint="0.00008 of price, or 0.0002 for 0.02 %. With 0 no cost is taken off results."
              />
              <TextInput {...field("description")} label="Description" maxLength={200} />
              <TextInput
                {...field("aliases")}
                label="Names at brokers"
                placeholder="US500.CASH, SPX500"
                spellCheck={false}
                hint="Common endings such as .i or m are recognised without being listed."
                className="sm:col-span-2 lg:col-span-3"
              />
            </div>
            <div className="mt-5 flex flex-wrap gap-2">
              <Button type="submit">Preview</Button>
              {edited && (
                <LinkButton href={adminPaths.symbols()} variant="quiet">
                  Add another instead
                </LinkButton>
              )}
            </div>
          </Card>
        </ActionForm>
        <Card title="Symbols" flush>
          <DataTable
            caption="Symbols"
            rows={symbols}
            rowKey={({ symbol }) => symbol}
            columns={columns(new Map(calendars.map(({ name, title }) => [name, title])))}
          />
        </Card>
      </div>
    </>
  );
}

const columns = (titles: ReadonlyMap<string, string>): Column<SymbolSettings>[] => [
  {
    key: "symbol",
    header: "Symbol",
    primary: true,
    cell: ({ symbol }) => (
      <a href={adminPaths.symbols({ edit: symbol })} className="link">
        {symbol}
      </a>
    ),
  },
  {
    key: "calendar",
    header: "Calendar",
    cell: ({ calendar, isGuessed }) =>
      isGuessed ? <Badge>trading hours guessed</Badge> : (titles.get(calendar) ?? calendar),
  },
  { key: "digits", header: "Decimals", align: "right", cell: ({ digits }) => digits },
  {
    key: "cost",
    header: "Round trip",
    align: "right",
    cell: ({ costKind, costValue }) =>
      costValue === 0 ? (
        <Badge>0, the default</Badge>
      ) : costKind === "absolute" ? (
        costValue
      ) : (
        `${costValue * 100} %`
      ),
  },
  { key: "description", header: "Description", cell: ({ description }) => description ?? "–" },
  { key: "aliases", header: "Names at brokers", cell: ({ aliases }) => aliases.join(", ") || "–" },
];

function valuesOf(symbol: SymbolSettings | undefined): Record<string, string> {
  if (!symbol) return { calendar: "", digits: "2", cost_value: "0" };
  return {
    symbol: symbol.symbol,
    calendar: symbol.isGuessed ? "" : symbol.calendar,
    digits: String(symbol.digits),
    cost_kind: symbol.costKind,
    // Without an exponent, which the field would reject.
    cost_value: symbol.costValue.toFixed(9).replace(/\.?0+$/, ""),
    description: symbol.description ?? "",
    aliases: symbol.aliases.join(", "),
  };
}
