import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Database, Transaction } from "@/db/client";
import type { StoredCalendar } from "@/db/queries/cached-settings";
import { readClock } from "@/db/queries/clock";
import { type Plan, shiftRanks } from "@/db/queries/plans";
import type { ProductRow } from "@/db/queries/products";
import { lockSettings, writeSetting } from "@/db/queries/settings";
import type { SymbolSettings } from "@/db/queries/symbols";
import { splitPaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { valueText } from "@/lib/admin/audit-text";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { settingsCache } from "@/lib/runtime/settings-cache";
import type { SettingField } from "@/lib/settings/fields";
import { readSettings, SETTINGS } from "@/lib/settings/registry";
import type { Setting } from "@/lib/settings/setting";
import { fieldErrors, WITH_INPUT } from "@/lib/wire/params";
import { describeChange, ImportedRows, SETTINGS_LISTS, type SettingDifference } from "./settings-lists";

/** Export and import of all settings as one file: the lists of rows and the settings of the registry. */

const Loose = z.record(z.string(), z.unknown());

/** Sections for settings of the registry: `brand`, and groups such as `documents` with one entry per setting. */
function placesOfSettings(): Record<string, z.ZodType> {
  const groups = new Map<string, string[]>();
  for (const { file } of SETTINGS) {
    const [place, name] = file.path;
    groups.set(place, [...(groups.get(place) ?? []), ...(name === undefined ? [] : [name])]);
  }
  return Object.fromEntries(
    [...groups].map(([place, names]) => [
      place,
      names.length === 0
        ? Loose.optional()
        : z.strictObject(Object.fromEntries(names.map((name) => [name, Loose.optional()]))).optional(),
    ]),
  );
}

const SettingsFile = z.strictObject({
  version: z.literal(1),
  ...Object.fromEntries(
    SETTINGS_LISTS.map(({ section, schema, isOptional }) => [
      section,
      isOptional ? z.array(schema).optional() : z.array(schema),
    ]),
  ),
  ...placesOfSettings(),
});
/** A settings file. Only sections that other sections refer to are typed. */
export interface SettingsFile {
  version: 1;
  plans: Plan[];
  products: ProductRow[];
  symbols: SymbolSettings[];
  [section: string]: unknown;
}

/** A file's entry for a setting, or undefined. */
function saidOf(file: SettingsFile, { file: { path } }: Setting): Record<string, unknown> | undefined {
  return path.reduce<unknown>(
    (inside, key) => (inside as Record<string, unknown> | undefined)?.[key],
    file,
  ) as Record<string, unknown> | undefined;
}

/** All settings of an installation as one value, in the format that `importSettings` takes. */
export async function exportSettings(database: Database): Promise<SettingsFile> {
  const file: SettingsFile = { version: 1, plans: [], products: [], symbols: [] };
  for (const { section, list } of SETTINGS_LISTS) file[section] = await list(database);
  for (const { entry, value } of await readSettings(database)) {
    const written = entry.inFile ? await entry.inFile.write(database, value) : value;
    const [place, name] = entry.file.path;
    file[place] =
      name === undefined
        ? written
        : { ...(file[place] as Record<string, unknown> | undefined), [name]: written };
  }
  return file;
}

export type SettingsImportResult =
  /** `changed` names the changed settings; `lines` add their former and new values. */
  | { ok: true; changed: string[]; lines: string[] }
  /** One line per mistake: its place and reason. */
  | { ok: false; errors: string[] };

/**
 * Stores a file's settings, all or nothing. Settings that the file does not name stay unchanged. With `isTrial`
 * nothing is stored, but the changes are returned. A plan that would leave subscribers without any slot is an
 * error with their number, unless `mayCutOff`.
 */
export async function importSettings(
  database: Database,
  content: unknown,
  { isTrial = false, mayCutOff = false }: { isTrial?: boolean; mayCutOff?: boolean },
  actor: Actor,
): Promise<SettingsImportResult> {
  const parsed = SettingsFile.safeParse(content, WITH_INPUT);
  if (!parsed.success)
    return {
      ok: false,
      errors: mistakesOf(parsed.error).map(({ path, msg }) => `${path || "file"}: ${msg}`),
    };
  // The cast is right: each list's schema has parsed the rows of its section.
  const file = parsed.data as SettingsFile;
  const imported = await database.transaction(async (tx): Promise<SettingsImportResult> => {
    await lockSettings(tx);
    const lists: ImportedRows[] = [];
    for (const list of SETTINGS_LISTS)
      lists.push(
        new ImportedRows(list, (file[list.section] as object[] | undefined) ?? [], await list.list(tx)),
      );
    const after = new Map(lists.map((rows) => [rows.list.section, rows.after]));
    // The lists have these names and row types, in the file and in the database.
    const whole = {
      plans: after.get("plans") as ReadonlyMap<string, Plan>,
      symbols: after.get("symbols") as ReadonlyMap<string, SymbolSettings>,
      calendars: after.get("calendars") as ReadonlyMap<string, StoredCalendar>,
    };
    const settings = (await readSettings(tx)).map(({ entry, value }) =>
      fileSetting(entry, value, saidOf(file, entry)),
    );
    const errors = [
      ...lists.flatMap((rows) => rows.problems(whole)),
      ...settings.flatMap(({ errors }) => errors),
    ];
    if (!mayCutOff) for (const rows of lists) errors.push(...(await rows.harms(tx)));
    if (errors.length > 0) return { ok: false, errors };
    const differences: SettingDifference[] = [
      ...lists.flatMap((rows) => rows.differences()),
      ...settings.flatMap(({ difference }) => difference ?? []),
    ];
    if (!isTrial) await store(tx, differences, actor);
    return {
      ok: true,
      changed: differences.map(({ kind, id }) => `${kind}/${id}`),
      lines: differences.map(({ line }) => line),
    };
  });
  if (imported.ok && !isTrial) await settingsCache().readAgain();
  return imported;
}

const mistakesOf = (error: z.ZodError) =>
  fieldErrors("file", error, Number.POSITIVE_INFINITY).map(({ loc: [, ...path], msg }) => ({
    path: path.join("."),
    msg,
  }));

async function store(
  tx: Transaction,
  differences: readonly SettingDifference[],
  actor: Actor,
): Promise<void> {
  // Two plans may exchange their ranks, which must be unique at every moment.
  const ofPlans = differences.filter(({ kind }) => kind === "plan");
  const hasPlans = ofPlans.length > 0;
  if (hasPlans) {
    await settingsCache().get();
    // The casts are right: differences of the kind `plan` hold plans.
    const changed = ofPlans.map(({ before, after }) => ({
      before: before as Plan | null,
      after: after as Plan,
    }));
    await splitPaidTime(tx, changed, await readClock(tx));
    await shiftRanks(tx, "aside");
  }
  for (const { kind, id, before, after, write } of differences) {
    await write(tx);
    await recordAudit(tx, {
      actor,
      action: `${kind}.import`,
      target: `${kind}/${id}`,
      details: { before, after },
    });
  }
  if (hasPlans) await shiftRanks(tx, "back");
}

interface FileSetting {
  errors: string[];
  difference: SettingDifference | null;
}

/** The label of a field, and its values as its form shows them. */
function fieldText(field: SettingField<unknown> | undefined, property: string) {
  const label = field?.label ?? property;
  const text = (value: unknown): string => {
    if (field?.isShare) return `${field.write(value)} %`;
    const option =
      field?.control.kind === "select" && field.control.options.find((one) => one.value === value);
    return option ? option.label : valueText(value);
  };
  return { label, text };
}

/** Compares a file's entry for a setting with the stored value. Fields that the entry leaves out keep their value. */
function fileSetting(
  entry: Setting,
  before: Record<string, unknown>,
  said: Record<string, unknown> | undefined,
): FileSetting {
  if (said === undefined) return { errors: [], difference: null };
  const meant = entry.inFile?.read(said) ?? { entry: said };
  const [section, name = ""] = entry.file.path;
  const wrong = (property: string, text: string) =>
    [`${section}:`, name, property, text].filter((word) => word !== "").join(" ");
  const parsed = entry.schema.safeParse(
    { ...before, ...(entry.upgrade?.(meant.entry) ?? meant.entry) },
    WITH_INPUT,
  );
  const problem = parsed.success ? entry.problem?.(parsed.data) : null;
  const errors = [
    ...(parsed.success ? [] : mistakesOf(parsed.error).map(({ path, msg }) => wrong(path, msg))),
    ...[problem, meant.problem].flatMap((one) => (one ? [wrong(one.property, one.text)] : [])),
  ];
  if (!parsed.success || errors.length > 0) return { errors, difference: null };
  const after = parsed.data;
  if (isDeepStrictEqual(before, after)) return { errors, difference: null };
  const [kind, id] = entry.file.imported;
  return {
    errors,
    difference: {
      kind,
      id,
      line: describeChange(entry.title, before, after, (property) =>
        fieldText(entry.fields[property], property),
      ),
      before,
      after,
      write: async (tx) => {
        await meant.store?.(tx);
        await writeSetting(tx, entry.row, after);
        await entry.apply?.(tx, after);
      },
    },
  };
}
