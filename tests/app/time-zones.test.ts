import { describe, expect, it } from "vitest";
import { timeZoneOptions, timeZoneOptionValue, timeZoneTitle } from "@/app/_components/form/time-zones";

describe("the select of time zones", () => {
  it("lists each zone once, under the present name of its city, UTC first", () => {
    const labels = timeZoneOptions().map(({ label }) => label);
    expect(labels[0]).toBe("UTC");
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).toEqual(expect.arrayContaining(["Asia/Kolkata", "Europe/Kyiv", "Asia/Ho Chi Minh"]));
    expect(labels).not.toContain("Asia/Calcutta");
    expect(timeZoneTitle("America/New_York")).toBe("America/New York");
  });

  it("maps both names of a zone, such as Asia/Calcutta and Asia/Kolkata, to an option of the select", () => {
    const values = timeZoneOptions().map(({ value }) => value);
    for (const zone of ["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev", "Etc/UTC", "UTC"])
      expect(values).toContain(timeZoneOptionValue(zone));
  });

  it("leaves an entry that is no time zone as it is", () => {
    expect(timeZoneOptionValue("Mars/Olympus")).toBe("Mars/Olympus");
  });
});
