import { z } from "zod";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { RetiredVariableName } from "@/lib/runtime/env";
import type { AdminRole } from "@/lib/vocabulary";
import { controlName, type SettingField } from "./fields";

/** The shape of a setting. Its form, preview, audit row, role and place in a settings file are derived from it. */

export type SettingFields = Readonly<Record<string, SettingField<unknown>>>;
export type ValueOf<F extends SettingFields> = {
  [K in keyof F]: F[K] extends SettingField<infer V> ? V : never;
};

/** Why a value is invalid, with the property at fault. */
export interface SettingProblem {
  property: string;
  text: string;
}

/** The pages that show settings of the registry. */
export type SettingsPage = "access" | "brand" | "service" | "thresholds";

/** Parses a retired variable; null: it holds no value of the setting. */
export type RetiredVariableReader<F extends SettingFields> = (text: string) => Partial<ValueOf<F>> | null;

/** An entry of the registry. Optional names default to ones derived from the entry's key. */
export interface SettingEntry<F extends SettingFields = SettingFields> {
  page: SettingsPage;
  /** Address of its form below /admin/settings; with two parts no route file is needed. */
  address: string;
  /** Name of its form in the log and in the table of roles. */
  form: string;
  /** Lowest role that may change it. Default: owner. */
  role?: AdminRole;
  title: string;
  lead: string;
  footer?: string;
  /** Label of the form's button. */
  asks?: string;
  columns?: 2 | 4;
  fields: F;
  /** Sentences about the effects of a change, shown before it is stored. */
  preview(
    handle: DatabaseHandle,
    change: { before: ValueOf<F>; after: ValueOf<F> },
  ): Promise<string[]> | string[];
  /** Checks a rule over several fields; null: the value is valid. */
  problem?(value: ValueOf<F>): SettingProblem | null;
  /** Checks a rule that needs the database, for example that the logo was uploaded; null: the value is valid. */
  missing?(tx: Transaction, value: ValueOf<F>): Promise<SettingProblem | null>;
  /** Further effects of a change, in the transaction that stores it. */
  apply?(tx: Transaction, value: ValueOf<F>): Promise<void>;
  /** Converts the value of a former release or its export. */
  upgrade?(stored: Record<string, unknown>): Record<string, unknown>;
  /** Retired environment variables, each with the property that takes its value at the first start, or with a parser. */
  carried?: Partial<Record<RetiredVariableName, Extract<keyof F, string> | RetiredVariableReader<F>>>;
  /** Whether the setting is in the settings cache, which a change must then refresh. */
  isHeld?: boolean;
  /** Name of its row in the table `settings`. Default: the entry's key. */
  row?: string;
  audit?: { action: string; target: string };
  /** Path in a settings file, and kind and id in an import's audit row. Default: `documents.<key>`. */
  file?: { path: readonly [string] | readonly [string, string]; imported: readonly [string, string] };
  /** Conversion to and from a settings file, if the file contains more than the stored row, such as a logo's picture. */
  inFile?: {
    write(handle: DatabaseHandle, value: ValueOf<F>): Promise<Record<string, unknown>>;
    /** `store` runs in the transaction, before the value is written. */
    read(entry: Record<string, unknown>): {
      entry: Record<string, unknown>;
      problem?: SettingProblem;
      store?: (tx: Transaction) => Promise<void>;
    };
  };
}

export interface Setting<F extends SettingFields = SettingFields> extends SettingEntry<F> {
  name: string;
  role: AdminRole;
  row: string;
  audit: { action: string; target: string };
  file: { path: readonly [string] | readonly [string, string]; imported: readonly [string, string] };
  byDefault: ValueOf<F>;
  /** The current value; a missing or unreadable field has its default. */
  read(stored: unknown): ValueOf<F>;
  /** Values that a form or a file may store. */
  schema: z.ZodType<ValueOf<F>>;
  /** A parser for each control of the form. */
  controls: Record<string, z.ZodType>;
  ofControls(read: Record<string, unknown>): ValueOf<F>;
  written(value: ValueOf<F>): Record<string, string>;
}

/** Returns the entry unchanged, typed by its fields. */
export const defineSetting = <F extends SettingFields>(entry: SettingEntry<F>): SettingEntry<F> => entry;

/** Completes an entry with its name, defaults and parsers. */
export function completeSetting<F extends SettingFields>(name: string, entry: SettingEntry<F>): Setting<F> {
  const { fields, upgrade = (stored) => stored, row = name } = entry;
  const properties = Object.entries<SettingField<unknown>>(fields);
  const shape = (of: (field: SettingField<unknown>) => z.ZodType) =>
    Object.fromEntries(properties.map(([property, field]) => [property, of(field)]));
  // The cast restores the fields' types, which Object.entries and Object.fromEntries lose.
  const typed = (value: Record<string, unknown>) => value as ValueOf<F>;
  const byDefault = typed(
    Object.fromEntries(properties.map(([property, field]) => [property, field.byDefault])),
  );
  const readable = z.object(shape((field) => field.readable.catch(field.byDefault)));
  return {
    ...entry,
    name,
    role: entry.role ?? "owner",
    row,
    audit: entry.audit ?? { action: "setting.change", target: `setting/${row}` },
    file: entry.file ?? { path: ["documents", name], imported: ["setting", name] },
    byDefault,
    read: (stored) => typed(readable.parse(isObject(stored) ? upgrade(stored) : {})),
    schema: z.strictObject(shape((field) => field.schema)) as z.ZodType<ValueOf<F>>,
    controls: Object.fromEntries(
      properties.map(([property, field]) => [
        controlName(property, field),
        z
          .string()
          .default("")
          .transform((text) => field.parse(text))
          .pipe(field.schema),
      ]),
    ),
    ofControls: (read) =>
      typed(
        Object.fromEntries(
          properties.map(([property, field]) => [property, read[controlName(property, field)]]),
        ),
      ),
    written: (value) =>
      Object.fromEntries(
        properties.map(([property, field]) => [controlName(property, field), field.write(value[property])]),
      ),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
