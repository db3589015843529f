import { customType, timestamp } from "drizzle-orm/pg-core";

/** The one timestamp type: an instant, `Date` inside, stored with its zone. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

export const createdAt = () => instant("created_at").notNull().defaultNow();

/** A 64-bit number that must stay exact, such as a ticket. */
export const exactInteger = customType<{ data: bigint; driverData: string }>({
  dataType: () => "bigint",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});
