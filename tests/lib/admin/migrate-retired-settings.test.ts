import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readSetting, writeSetting } from "@/db/queries/settings";
import { migrateRetiredSettings } from "@/lib/admin/settings/migrate-retired-settings";
import { currentText } from "@/lib/admin/settings/texts/current-text";
import { brand } from "@/lib/runtime/brand";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { SETTINGS_BY_NAME, settingInForce } from "@/lib/settings/registry";
import { DEFAULT_RETENTION_DAYS } from "@/lib/settings/retention-days";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const auditOf = async () =>
  (await db().execute<{ target: string }>(sql`select target from admin_audit order by id`)).map(
    ({ target }) => target,
  );

beforeEach(async () => {
  await db().execute(
    sql`delete from settings where name in ('brand', 'baseline', 'backups', 'public_record', 'retention', 'telegram_updates', 'carried_variables')`,
  );
  await db().execute(sql`truncate site_texts cascade`);
  await db().execute(sql`truncate admin_audit cascade`);
  await settingsCache().readAgain();
});

describe("variables of earlier releases", () => {
  const variables = { SHOP_URL: "https://shop.example.com/a", HYPOTHETICAL_STATEMENT: "One.\\n\\nTwo." };

  it("variables of earlier releases become the corresponding settings once, with an audit row each", async () => {
    await migrateRetiredSettings(db(), variables);
    expect(brand().shopUrl).toBe("https://shop.example.com/a");
    expect(await currentText("hypothetical")).toMatchObject({
      content: "One.\n\nTwo.",
      version: { number: 1 },
    });
    expect(await auditOf()).toEqual(["brand", "text/hypothetical/1"]);

    await writeSetting(db(), "brand", SETTINGS_BY_NAME.brand.byDefault);
    await migrateRetiredSettings(db(), variables);
    expect((await settingInForce(db(), "brand")).shopUrl).toBeNull();
    expect(await auditOf()).toHaveLength(2);
  });

  it("variables of earlier releases do not override an existing setting", async () => {
    await writeSetting(db(), "brand", {
      ...SETTINGS_BY_NAME.brand.byDefault,
      shopUrl: "https://own.example.com",
    });
    await migrateRetiredSettings(db(), { SHOP_URL: "https://shop.example.com/a" });
    expect((await settingInForce(db(), "brand")).shopUrl).toBe("https://own.example.com");
    await writeSetting(db(), "brand", SETTINGS_BY_NAME.brand.byDefault);
    await migrateRetiredSettings(db(), { SHOP_URL: "https://shop.example.com/a" });
    expect((await settingInForce(db(), "brand")).shopUrl).toBeNull();
  });

  it("variables with invalid values, or that are still supported, change nothing", async () => {
    await migrateRetiredSettings(db(), { SHOP_URL: "no address", OPEN_REQUESTS: "5" });
    expect((await settingInForce(db(), "brand")).shopUrl).toBeNull();
    expect(await auditOf()).toEqual([]);
  });

  it("variables of backups, retention, record and Telegram become settings, and apply even before they are stored", async () => {
    const former = {
      BACKUP_EVERY_HOURS: "6",
      BACKUP_KEEP: "100",
      RETENTION: "mails=365, probes=0",
      PUBLIC_RECORD: "off",
      PUBLIC_CANDLES: "on",
      TELEGRAM_MODE: "webhook",
    };
    const expected = {
      backups: { everyHours: 6, keep: 100 },
      public_record: { isShown: false, candles: "on" },
      telegram_updates: { mode: "webhook" },
      retention: { ...DEFAULT_RETENTION_DAYS, mails: 365, probes: 0 },
    } as const;
    Object.assign(process.env, former);
    for (const [name, value] of Object.entries(expected))
      expect(cachedSetting(name as keyof typeof expected), `${name}, not yet stored`).toEqual(value);
    await migrateRetiredSettings(db());
    for (const name of Object.keys(former)) delete process.env[name];
    for (const [name, value] of Object.entries(expected))
      expect(cachedSetting(name as keyof typeof expected), name).toEqual(value);
    expect((await auditOf()).toSorted()).toEqual(
      Object.keys(expected)
        .map((name) => `setting/${name}`)
        .toSorted(),
    );
  });

  it("variables with values that the setting does not allow change nothing", async () => {
    await migrateRetiredSettings(db(), {
      RETENTION: "signals=3",
      PUBLIC_RECORD: "perhaps",
      BACKUP_KEEP: "0",
    });
    expect(await auditOf()).toEqual([]);
  });

  it("variables are taken over by only one of two processes that start at once", async () => {
    await Promise.all([migrateRetiredSettings(db(), variables), migrateRetiredSettings(db(), variables)]);
    expect(await auditOf()).toEqual(["brand", "text/hypothetical/1"]);
  });
});

describe("the five numbers of the baseline", () => {
  it("the five numbers of the baseline become the nearest level of caution at the first start, and stay unchanged afterwards", async () => {
    const numbers = { thresholdR: 0.05, z: 3, minIndependent: 50, shrinkageCandles: 240, expectedRr: 1.5 };
    await writeSetting(db(), "baseline", numbers);
    await migrateRetiredSettings(db(), {});
    await migrateRetiredSettings(db(), {});
    expect(await readSetting(db(), "baseline")).toEqual({ caution: "careful" });
    expect(await auditOf()).toEqual(["setting/baseline"]);
  });

  it("the baseline's caution stays unset when its numbers were never set", async () => {
    await migrateRetiredSettings(db(), {});
    expect(await readSetting(db(), "baseline")).toBeNull();
    expect(await auditOf()).toEqual([]);
  });
});
