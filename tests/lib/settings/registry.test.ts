import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { writeSetting } from "@/db/queries/settings";
import { nearestCaution } from "@/lib/settings/caution";
import { controlName } from "@/lib/settings/fields";
import { SETTINGS, settingInForce } from "@/lib/settings/registry";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const area = fileURLToPath(new URL("../../../app/admin/(area)/settings", import.meta.url));
const twice = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) !== i);

describe("the settings registry", () => {
  it("no two settings share a row, form, address or file key", () => {
    expect(SETTINGS.length).toBeGreaterThanOrEqual(8);
    expect(twice(SETTINGS.map(({ row }) => row))).toEqual([]);
    expect(twice(SETTINGS.map(({ form }) => form))).toEqual([]);
    expect(twice(SETTINGS.map(({ address }) => address))).toEqual([]);
    expect(twice(SETTINGS.map(({ file }) => file.path.join(".")))).toEqual([]);
    expect(twice(SETTINGS.map(({ file }) => file.imported.join("/")))).toEqual([]);
  });

  it.each(SETTINGS)(
    "the setting $name has a page, and its own form route exactly when the shared one does not serve it",
    (entry) => {
      expect(existsSync(`${area}/${entry.page}/page.tsx`)).toBe(true);
      // Two-part forms belong to the shared handler; a one-part form needs a file that names it.
      const isShared = entry.address.split("/").length === 2;
      expect(existsSync(`${area}/${entry.address}/route.ts`)).toBe(!isShared);
    },
  );

  it.each(SETTINGS)("the default of the setting $name is valid in its form and in a file", (entry) => {
    expect(entry.schema.parse(entry.byDefault)).toEqual(entry.byDefault);
    expect(entry.problem?.(entry.byDefault) ?? null).toBeNull();
    const typed = entry.written(entry.byDefault);
    for (const [property, field] of Object.entries(entry.fields)) {
      const name = controlName(property, field);
      expect(entry.controls[name]?.parse(typed[name]), name).toEqual(entry.byDefault[property]);
    }
    expect(entry.read(JSON.parse(JSON.stringify(entry.byDefault)))).toEqual(entry.byDefault);
  });

  it.each(SETTINGS)(
    "the setting $name falls back to its default for stored values of a wrong type",
    (entry) => {
      const fields = Object.fromEntries(Object.keys(entry.fields).map((name) => [name, { not: "a value" }]));
      for (const stored of [null, undefined, 7, "strict", [], {}, fields])
        expect(entry.read(stored)).toEqual(entry.byDefault);
    },
  );
});

describe("the baseline's caution setting", () => {
  it("the baseline's caution is the level nearest to the numbers stored by an earlier release", async () => {
    const usual = { thresholdR: 0, z: 2.5, minIndependent: 40, shrinkageCandles: 240, expectedRr: 1 };
    expect(nearestCaution({})).toBe("usual");
    expect(nearestCaution(usual)).toBe("usual");
    expect(nearestCaution({ ...usual, z: 9, minIndependent: 1000 })).toBe("careful");
    expect(nearestCaution({ ...usual, thresholdR: -1, z: 1 })).toBe("bold");
    expect(nearestCaution({ thresholdR: 0.05, z: 3, minIndependent: 80 })).toBe("careful");
    expect(nearestCaution({ thresholdR: 0, z: 2, minIndependent: 25 })).toBe("bold");
    await writeSetting(db(), "baseline", { ...usual, z: 3.2 });
    expect(await settingInForce(db(), "baseline")).toEqual({ caution: "careful" });
  });
});
