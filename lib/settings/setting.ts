import { z } from "zod";
import type { Handle, Transaction } from "@/db/client";
import type { RetiredVariable } from "@/lib/runtime/env";
import type { AdminRole } from "@/lib/vocabulary";
import { controlName, type Field } from "./fields";

/** What one setting is: everything that the form, the preview, the audit, the file and the role are made from. */

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValueOf<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer V> ? V : never };

/** What is wrong with a value, by its property. */
export interface Problem {
  property: string;
  text: string;
}

/** The pages of the area that show settings made from the registry. */
export type SettingsPage = "access" | "brand" | "thresholds";

/** What an entry of the registry says. What may be left out follows from the entry's key. */
export interface Entry<F extends Fields = Fields> {
  page: SettingsPage;
  /** Where its form is sent, below /admin/settings. */
  address: string;
  /** The name of its form: in the log, the table of roles and the page. */
  form: string;
  /** The least role that may change it: an owner, unless the entry says another. */
  role?: AdminRole;
  title: string;
  lead: string;
  footer?: string;
  /** On the button of its form. */
  asks?: string;
  columns?: 2 | 4;
  fields: F;
  /** What a change would do, said before it is stored. */
  preview(handle: Handle, change: { before: ValueOf<F>; after: ValueOf<F> }): Promise<string[]> | string[];
  /** What the fields contradict, or the place where they are used refuses. */
  problem?(value: ValueOf<F>): Problem | null;
  /** What of a change cannot be, by what the database holds. */
  missing?(tx: Transaction, value: ValueOf<F>): Promise<Problem | null>;
  /** What a former release stored or exported, as it is said today. */
  upgrade?(stored: Record<string, unknown>): Record<string, unknown>;
  /** Variables of former releases whose value a property takes over at the first start. */
  carried?: Partial<Record<RetiredVariable, Extract<keyof F, string>>>;
  /** Every process holds it in memory: a change is read again at once. */
  isHeld?: boolean;
  /** Its row in the table of settings. */
  row?: string;
  audit?: { action: string; target: string };
  /** Its place in a settings file, and its name in what an import changed. */
  file?: { path: readonly [string] | readonly [string, string]; imported: readonly [string, string] };
  /** Another form of it in a settings file: what is exported, and how that is stored. */
  inFile?: {
    write(handle: Handle, value: ValueOf<F>): Promise<Record<string, unknown>>;
    /** The value that a file's entry means; `store` runs before it is stored. */
    read(entry: Record<string, unknown>): {
      entry: Record<string, unknown>;
      problem?: Problem;
      store?: (tx: Transaction) => Promise<void>;
    };
  };
}

export interface Setting<F extends Fields = Fields> extends Entry<F> {
  name: string;
  role: AdminRole;
  row: string;
  audit: { action: string; target: string };
  file: { path: readonly [string] | readonly [string, string]; imported: readonly [string, string] };
  byDefault: ValueOf<F>;
  /** The value in force, by what the row holds: the default of each field that is missing or cannot be read. */
  read(stored: unknown): ValueOf<F>;
  /** What may be stored, of a form or a file. */
  schema: z.ZodType<ValueOf<F>>;
  /** The controls of its form, each as the value of its property. */
  controls: Record<string, z.ZodType>;
  /** The value of what the controls were read as. */
  ofControls(read: Record<string, unknown>): ValueOf<F>;
  /** A value as the text of each control. */
  written(value: ValueOf<F>): Record<string, string>;
}

/** An entry of the registry. */
export const setting = <F extends Fields>(entry: Entry<F>): Entry<F> => entry;

/** The entry under its name, with what follows from it. */
export function complete<F extends Fields>(name: string, entry: Entry<F>): Setting<F> {
  const { fields, upgrade = (stored) => stored, row = name } = entry;
  const properties = Object.entries<Field<unknown>>(fields);
  const shape = (of: (field: Field<unknown>) => z.ZodType) =>
    Object.fromEntries(properties.map(([property, field]) => [property, of(field)]));
  // Objects that are built property by property have the types of the fields that they are built from.
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
    schema: z.strictObject(shape((field) => field.schema)) as unknown as z.ZodType<ValueOf<F>>,
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
