import type { Handle } from "@/db/client";
import type { HeldSetting } from "@/db/queries/operated";
import { readSetting } from "@/db/queries/settings";
import { retiredVariables } from "@/lib/runtime/env";
import { operated } from "@/lib/runtime/operated";
import { carriedInto } from "./carried";
import { REGISTRY, type Settings } from "./registry";
import type { Setting } from "./setting";

/** A setting as this process holds it: of half a second ago at most. */
export const heldSetting = <N extends HeldSetting>(name: N): Settings[N] =>
  inForce(name, operated().now.settings[name]);

/** The same from the database, for a command that may meet an older schema. */
export const readHeldSetting = async <N extends HeldSetting>(handle: Handle, name: N): Promise<Settings[N]> =>
  inForce(name, (await readSetting<unknown>(handle, name)) ?? undefined);

/**
 * A setting that was never stored has what a retired variable says, since the first start of a release has yet to store
 * that, else its default.
 */
function inForce<N extends HeldSetting>(name: N, stored: unknown): Settings[N] {
  const entry: Setting = REGISTRY[name];
  const value = entry.read(stored);
  // The entry of this name has read it.
  return (stored === undefined ? carriedInto(entry, value, retiredVariables()).after : value) as Settings[N];
}
