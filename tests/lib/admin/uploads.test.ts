import { describe, expect, it } from "vitest";
import { POST as upload } from "@/app/admin/(area)/models/upload/act/route";
import { POST as transfer } from "@/app/admin/(area)/settings/transfer/act/route";
import { GET as settingsFile } from "@/app/admin/(area)/settings/transfer/settings.json/route";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, signalItem } from "@/tests/support/market-data";

useDatabase();

/** Posts a form with a file like a browser. Returns the flash notice of the next page. */
async function sendFile(
  handler: (request: Request) => Promise<Response>,
  cookie: string,
  fields: Record<string, string | Blob>,
  /** Expected end of the address to which the answer redirects. */
  ending = "",
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const answer = await handler(
    new Request("https://signals.example.test/admin/form", {
      method: "POST",
      headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin", Origin: "https://signals.example.test" },
      body,
    }),
  );
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")?.endsWith(ending)).toBe(true);
  return takeFlash(cookie);
}

const file = (text: string) => new Blob([text]);
const signal = () => signalItem({ symbol: "EURUSD", timeframe: "H1", ts: hourlyCandleOpenTime(2) });
const csvOf = (rows: Record<string, unknown>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => row.join(",")).join("\r\n");

const NO_MODEL =
  "EURUSD H1 has no active model: the site and the checks of the service leave it out. Upload its model too.";

describe("an uploaded file", () => {
  it("an uploaded file of candles of an unknown symbol is stored with a warning about its trading hours", async () => {
    const cookie = await signInAdmin();
    const open = { symbol: "FOOBAR", timeframe: "H1", ts: hourlyCandleOpenTime(3).toISOString() };
    const candle = { ...open, open: 1, high: 2, low: 1, close: 2 };
    expect(
      await sendFile(upload.forms.upload, cookie, { kind: "candles", file: file(csvOf([candle])) }),
    ).toMatchObject({
      title: "Stored",
      lines: [
        "1 row read: 1 new or changed, 0 stored before.",
        "FOOBAR: its trading hours are guessed. Choose a calendar under Symbols.",
      ],
    });
  });

  it("an uploaded file of candles is ingested once and creates its slot", async () => {
    const cookie = await signInAdmin();
    const sql = connectDirectly();
    const candles = [3, 2].map((hours) => ({
      symbol: "GBPJPY",
      timeframe: "H1",
      ts: hourlyCandleOpenTime(hours).toISOString(),
      open: 190.1,
      high: 190.5,
      low: 189.9,
      close: 190.2,
      volume: 812,
    }));
    const send = () =>
      sendFile(upload.forms.upload, cookie, { kind: "candles", file: file(csvOf(candles)) }, "?kind=candles");
    expect(await send()).toMatchObject({ lines: ["2 rows read: 2 new or changed, 0 stored before."] });
    expect(await send()).toMatchObject({ lines: ["2 rows read: 0 new or changed, 2 stored before."] });
    const stored = await sql`
      select count(*)::int as n from candles c join slots s on s.id = c.slot_id where s.symbol = 'GBPJPY'`;
    await sql.end();
    expect(stored).toEqual([{ n: 2 }]);
  });

  it.each([
    ["CSV", (row: Record<string, unknown>) => csvOf([row])],
    ["the body of the interface", (row: Record<string, unknown>) => JSON.stringify({ items: [row] })],
    ["a JSON array", (row: Record<string, unknown>) => JSON.stringify([row])],
    ["NDJSON", (row: Record<string, unknown>) => `${JSON.stringify(row)}\n`],
  ])(
    "an uploaded file of signals as %s is stored once, with an audit row for each upload",
    async (_, write) => {
      const cookie = await signInAdmin();
      const sql = connectDirectly();
      await sql`truncate signals, admin_audit cascade`;
      const send = (more: Record<string, string> = {}) =>
        sendFile(upload.forms.upload, cookie, { kind: "signals", file: file(write(signal())), ...more });
      expect(await send({ only_check: "true" })).toMatchObject({ isGood: true, title: "The file is valid" });
      expect((await sql`select 1 from signals`).length).toBe(0);
      expect(await send()).toMatchObject({
        lines: ["1 row read: 1 new or changed, 0 stored before.", NO_MODEL],
      });
      expect(await send()).toMatchObject({
        lines: ["1 row read: 0 new or changed, 1 stored before.", NO_MODEL],
      });
      expect((await sql`select 1 from signals`).length).toBe(1);
      await sql.end();
      expect(await listAudit(db(), { action: "ingest.upload" }, 9)).toMatchObject([
        { target: "signals", details: { rows: 1, accepted: 0, duplicates: 1 } },
        { target: "signals", details: { rows: 1, accepted: 1, duplicates: 0 } },
      ]);
    },
  );

  it("an uploaded model becomes the slot's champion", async () => {
    const cookie = await signInAdmin();
    const model =
      "symbol,timeframe,model_v,auc_wf,pf_wf,is_active,trained_at\nGBPUSD,H4,own-1,0.58,1.2,true,2026-11-01T00:00:00Z";
    expect(await sendFile(upload.forms.upload, cookie, { kind: "models", file: file(model) })).toMatchObject({
      isGood: true,
    });
    const sql = connectDirectly();
    const [row] = await sql`select model_v, is_active from models where model_v = 'own-1'`;
    await sql.end();
    expect(row).toMatchObject({ model_v: "own-1", is_active: true });
  });

  it.each([
    [
      "a wrong field",
      JSON.stringify([{ ...signalItem(), confidence: 2 }]),
      /^Row 1, confidence: must be between 0 and 1$/,
    ],
    ["no rows", "[]", /./],
    ["only white space", " ", /^The file is empty\.$/],
    ["a picture", "\u0089PNG\0\0", /^The file is not text\.$/],
    ["a NUL in a string", '[{"symbol": "A\\u0000"}]', /./],
    ["ragged CSV", "a,b\n1,2,3", /neither JSON nor CSV/],
    ["5,001 rows", `a,b\n${"1,2\n".repeat(5_001)}`, /^5,001 rows; at most 5,000: split the file\.$/],
    ["broken NDJSON", '{"a": 1}\n{"b"', /^Line 2 is not a JSON object\.$/],
  ])(
    "an uploaded file with %s is refused with a message that nothing was stored",
    async (_, text, problem) => {
      const cookie = await signInAdmin();
      const flash = await sendFile(upload.forms.upload, cookie, { kind: "signals", file: file(text) });
      expect(flash).toMatchObject({ kind: "report", isGood: false, title: "Nothing was stored" });
      expect(flash?.kind === "report" && flash.lines[0]).toMatch(problem);
    },
  );
});

it("the refusal of an uploaded file names a missing column once, with the number of rows", async () => {
  const cookie = await signInAdmin();
  const rows = [3, 2, 1].map((hours) => ({
    ts: hourlyCandleOpenTime(hours).toISOString(),
    open: 1,
    high: 1,
    low: 1,
    close: 1,
  }));
  const lines = async (items: object[]) => {
    const flash = await sendFile(upload.forms.upload, cookie, {
      kind: "candles",
      file: file(JSON.stringify(items)),
    });
    return flash?.kind === "report" ? flash.lines : [];
  };
  expect(await lines(rows)).toEqual([
    "Row 1, symbol: is required (and in 2 more rows)",
    "Row 1, timeframe: is required (and in 2 more rows)",
  ]);
  const named = rows.map((row) => ({ symbol: "EURUSD", timeframe: "H1", ...row }));
  expect(await lines([...named, { ...rows[0], symbol: "EURUSD" }])).toEqual([
    "Row 4, timeframe: is required",
  ]);
});

describe("uploaded settings", () => {
  it("settings are exported, previewed and imported", async () => {
    const cookie = await signInAdmin();
    const exported = await settingsFile(
      new Request("https://signals.example.test/x", { headers: { Cookie: cookie } }),
    );
    expect(exported.headers.get("content-disposition")).toMatch(/settings-2\d{3}-\d\d-\d\d\.json/);
    const settings = await exported.json();
    const same = await sendFile(transfer.forms.preview, cookie, { file: file(JSON.stringify(settings)) });
    expect(same).toMatchObject({ kind: "report", title: "Nothing to change" });
    settings.brand = { ...settings.brand, name: "Kestrel" };
    const preview = await sendFile(transfer.forms.preview, cookie, { file: file(JSON.stringify(settings)) });
    if (preview?.kind !== "import") throw new Error(JSON.stringify(preview));
    expect(preview.lines).toEqual(["Name, colours and addresses: Name – → Kestrel"]);
    const done = await sendFile(transfer.forms.import, cookie, {
      content: preview.content,
      cut_off: "false",
    });
    expect(done).toMatchObject({ kind: "report", isGood: true, title: "1 setting changed" });
    expect((await listAudit(db(), { action: "settings.export" }, 9)).length).toBe(1);
  });

  it.each(["", "no json", "[]", '{"version": 9}'])("the settings file %j is refused", async (text) => {
    const cookie = await signInAdmin();
    const flash = await sendFile(transfer.forms.preview, cookie, { file: file(text) });
    expect(flash?.kind === "report" ? flash.isGood : flash?.kind).toBe(text === "" ? "form" : false);
  });
});
