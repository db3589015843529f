"use client";

import { useEffect, useState } from "react";

/** A hidden field with this device's time zone. */
export function OwnTimeZone({ name = "device_time_zone" }: { name?: string }) {
  const [zone, setZone] = useState("");
  useEffect(() => setZone(Intl.DateTimeFormat().resolvedOptions().timeZone), []);
  return <input type="hidden" name={name} value={zone} />;
}
